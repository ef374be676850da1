// Keeps this page as the server sees it. A browser has six connections to a host for all its tabs together, so one tab
// holds the stream and tells the others when something came; each of them then asks for what it missed itself.

import { home } from "./home.js"
import { isSignedOut } from "./own_response.js"
import { pageLanguage } from "./page_language.js"

const SILENCE_MS = 12_000 // the server says something every five seconds
const PAUSES_MS = [250, 500, 1000, 2000, 5000]
const TRIES = 5 // to ask for what was missed, before the stream begins again there

let element = document.getElementById("stream") // says where the stream of the page is that is shown
// Another program may be shown under another path of this host, and frames of two people may be in one browser.
const STREAM = `${home}stream${element.dataset.viewer ?? ""}`
const tabs = channel()

let shown = {} // another object for each page, and for each question that is shown beside the list
let seen = element.dataset.seen // the newest event that this page has received
let state = ""
let leading = null
let connection = new AbortController()
let place = new AbortController()
let alarm = 0
let endPause = () => {}

function channel() {
  try {
    return new BroadcastChannel(STREAM)
  } catch {
    // Firefox denies it to frames of other sites where it blocks their cookies, as it denies locks: this page is alone.
    return Object.assign(new EventTarget(), { postMessage() {} })
  }
}

function address() {
  const request = document.querySelector("#detail > [data-request]")?.dataset.request
  const cards = [...document.querySelectorAll("#panel > #cards > [id^=request-]")]
  return (
    element.dataset.stream +
    (request ? `&id=${encodeURIComponent(request)}` : "") +
    // A frame names its questions: if it has lost the thread, it gets their ends.
    cards.map(({ id }) => id.replace("request-", "&request=")).slice(0, 120).join("")
  )
}

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
  const page = shown
  const headers = { ...pageLanguage(), Accept: "text/event-stream", "Last-Event-ID": since }
  const answer = await fetch(address, { headers, signal, redirect: "manual" })
  if (isSignedOut(answer)) throw Object.assign(new Error("signed out"), { status: 401 })
  if (!answer.ok) throw Object.assign(new Error(answer.statusText), { status: answer.status })
  heard()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  let overtaken = false
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const messages = (rest + part.value).split("\r\n\r\n")
    rest = messages.pop()
    for (const message of messages) overtaken = (await inTurn(() => show(message.split("\r\n"), page))) === OVERTAKEN
    heard()
  }
  return overtaken
}

// Two streams may be read at once. What they bring is shown one after the other, and never over what is newer.

const OVERTAKEN = Symbol("overtaken")

let lastTurn = Promise.resolve()

function inTurn(action) {
  const done = lastTurn.then(action)
  lastTurn = done.catch(() => {})
  return done
}

async function show(lines, page) {
  const values = (name) => lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length))
  const text = values("data: ").join("\n")
  const [event] = values("id: ")
  if (page !== shown) return
  if (event && isOlder(event)) return OVERTAKEN
  if (text) await htmx.swap({ text, sourceElement: element, target: element, swap: "none swapEmpty:false" })
  if (event && page === shown && isNewer(event)) seen = event
}

function parts(event) {
  const [epoch, number] = event.split("-")
  return [epoch, Number(number)]
}

function isNewer(event, than = seen) {
  const [[epoch, number], [ownEpoch, ownNumber]] = [parts(event), parts(than)]
  return epoch !== ownEpoch || number > ownNumber
}

function isOlder(event) {
  const [[epoch, number], [ownEpoch, ownNumber]] = [parts(event), parts(seen)]
  return epoch === ownEpoch && number < ownNumber
}

async function readOnce(since) {
  for (let tries = 0; tries < TRIES; tries++) {
    if (!(await read(`${address()}&once=true`, AbortSignal.timeout(SILENCE_MS), since))) return
  }
  throw new Error("newer events come faster than this page can ask for what it missed")
}

// What was missed since then has not been shown: the stream brings it.
function readAgain(since) {
  if (isOlder(since)) seen = since
  doubt()
}

// The tab that holds the stream.

async function lead() {
  const turn = (leading = {})
  for (let failures = 0; leading === turn; failures++) {
    const page = shown
    connection = new AbortController()
    listen()
    try {
      await read(address(), connection.signal, seen, () => {
        failures = 0
        listen()
        tell("live")
      })
    } catch (error) {
      if (leading === turn && page === shown) tell(error.status === 401 ? "signedOut" : "reconnecting")
    }
    if (leading === turn && page === shown) await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] * (0.7 + 0.6 * Math.random()))
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
  navigator.locks.request(STREAM, { signal: place.signal }, lead).catch(lost)
}

function steal() {
  place.abort()
  navigator.locks.request(STREAM, { steal: true }, lead).catch(lost)
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
document.addEventListener("htmx:finally:request", async ({ detail: { ctx } }) => {
  // The response may have named another target, as a selector.
  const target = typeof ctx.target === "string" ? document.querySelector(ctx.target) : ctx.target
  if (!ctx.seen || !target?.matches("[id^=request-], [id^=undo-], [id^=outcome-]")) return
  const page = shown
  await lastTurn
  if (page === shown && ctx.seen !== seen) readOnce(ctx.seen).catch(() => page === shown && readAgain(ctx.seen))
})

// Another page took the place of this one, in the same document: what it has seen, and its stream, are others.

document.addEventListener("page:shown", () => {
  element = document.getElementById("stream")
  shown = {}
  seen = element.dataset.seen
  state = ""
  if (leading) connection.abort()
})

// Another question is shown beside the list: its card is followed from when it was asked for.

document.addEventListener("detail:shown", ({ detail }) => {
  shown = {}
  if (detail && isNewer(seen, detail)) seen = detail
  if (leading) connection.abort()
  else readOnce(seen).catch(doubt)
})

document.addEventListener("signed-out", doubt)
document.addEventListener("signed-in", retry)
addEventListener("online", retry)

if (navigator.locks) {
  document.addEventListener("visibilitychange", () => document.hidden || state === "live" || retry())
  listen()
  queue()
  retry()
} else {
  holdOwn()
}
