// Keeps this page as the server sees it. A browser has six connections to a host for all its tabs together, so one tab
// holds the stream and tells the others when something came; each of them then asks for what it missed itself.

const SILENCE_MS = 10_000 // the server says something every four seconds
const PAUSES_MS = [250, 500, 1000, 2000, 5000]

const element = document.getElementById("stream")
const tabs = new BroadcastChannel("stream")

let seen = element.dataset.seen // the newest event that this page has received
let state = ""
let leading = null
let connection = new AbortController()
let place = new AbortController()
let alarm = 0
let endPause = () => {}

function say(news) {
  if (state === news) return
  state = news
  document.dispatchEvent(new CustomEvent("stream:state", { detail: news }))
}

function tell(news) {
  say(news)
  tabs.postMessage({ state, seen })
}

async function read(address, signal, since, heard = () => {}) {
  const answer = await fetch(address, { headers: { Accept: "text/event-stream", "Last-Event-ID": since }, signal })
  if (!answer.ok) throw Object.assign(new Error(answer.statusText), { status: answer.status })
  heard()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const messages = (rest + part.value).split("\r\n\r\n")
    rest = messages.pop()
    for (const message of messages) await show(message.split("\r\n"))
    heard()
  }
}

async function show(lines) {
  const values = (name) => lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length))
  const text = values("data: ").join("\n")
  if (text) await htmx.swap({ text, sourceElement: element, target: element, swap: "none swapEmpty:false" })
  const [event] = values("id: ")
  if (event && isNewer(event)) seen = event
}

function isNewer(event) {
  const [[epoch, number], [ownEpoch, ownNumber]] = [event.split("-"), seen.split("-")]
  return epoch !== ownEpoch || Number(number) > Number(ownNumber)
}

function readOnce(since) {
  return read(`${element.dataset.stream}&once=true`, AbortSignal.timeout(SILENCE_MS), since)
}

// The tab that holds the stream.

async function lead() {
  const turn = (leading = {})
  for (let failures = 0; leading === turn; failures++) {
    connection = new AbortController()
    listen()
    try {
      await read(element.dataset.stream, connection.signal, seen, () => {
        failures = 0
        listen()
        tell("live")
      })
    } catch (error) {
      if (leading === turn) tell(error.status === 401 ? "signedOut" : "reconnecting")
    }
    if (leading === turn) await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] * (0.7 + 0.6 * Math.random()))
  }
}

function pause(ms) {
  return new Promise((resolve) => {
    endPause = resolve
    setTimeout(resolve, ms)
  })
}

function resign() {
  leading = null
  connection.abort()
  endPause()
}

// The tabs that do not.

let asking = false
let askAgain = false

async function follow(news) {
  listen()
  say(news.state)
  if (news.state !== "live" || !isNewer(news.seen)) return
  askAgain = true
  if (asking) return
  asking = true
  while (askAgain) {
    askAgain = false
    // What fails is asked for again: the other tab says every few seconds what it has seen.
    await readOnce(seen).catch(() => {})
  }
  asking = false
}

// The tab with the lock has the stream. A silent tab (frozen by its browser) loses the lock.

function queue() {
  place = new AbortController()
  navigator.locks.request("stream", { signal: place.signal }, lead).catch(lost)
}

function steal() {
  place.abort()
  navigator.locks.request("stream", { steal: true }, lead).catch(lost)
}

function lost(error) {
  if (error.name === "SecurityError") return holdOwn()
  if (!leading) return
  resign()
  queue()
}

// Plain HTTP to another machine has no locks, and a frame of another site may be denied them: then each tab holds a
// stream of its own while it is looked at.

function holdOwn() {
  const turn = () => (document.hidden ? resign() : leading || lead())
  document.addEventListener("visibilitychange", turn)
  turn()
}

function listen() {
  clearTimeout(alarm)
  alarm = setTimeout(silent, leading ? SILENCE_MS : SILENCE_MS * (1.2 + Math.random()))
}

function silent() {
  if (leading) return connection.abort()
  say("reconnecting")
  if (navigator.locks) steal()
}

// Something says that now is the time to try, or that the stream may not be what it seems.

function retry() {
  if (leading) endPause()
  else tabs.postMessage("retry")
}

function doubt() {
  if (leading) connection.abort()
  else tabs.postMessage("doubt")
}

tabs.addEventListener("message", ({ data }) => {
  if (!leading) return data.state && follow(data)
  if (data === "doubt") doubt()
  if (data === "retry") {
    retry()
    tabs.postMessage({ state, seen })
  }
})

// What was pushed while the answer to a click was on its way is newer than that answer, which has just taken its place.

document.addEventListener("htmx:before:request", ({ detail }) => (detail.ctx.seen = seen))
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx.seen && ctx.seen !== seen && ctx.target.matches("[id^=request-], [id^=outcome-]")) readOnce(ctx.seen).catch(doubt)
})

document.addEventListener("signed-out", doubt)
addEventListener("online", retry)

if (navigator.locks) {
  document.addEventListener("visibilitychange", () => document.hidden || state === "live" || retry())
  listen()
  queue()
  retry()
} else {
  holdOwn()
}
