// The frame's side of <mcp-inbox>: finds the page around it, asks it for a token, and shows the inbox of the person.
// The id of the session stays in this module, so it works without cookies and no other page of the browser has it.

import { applyLooks } from "./frame_theme.js"

const NS = "mcp-inbox"
const VERSION = 1
const SHORTEST_MS = 5000
const LONGEST_MS = 600_000
const DISABLED = "disabled_user"
const LONGEST_PAUSE_MS = 60_000
const TOKEN_MS = 30_000 // to wait for a token before another one is asked for
const LOST_MS = 3000 // a connection that is back after this time needs no notice
const ENDED = "#signed-out" // after the address of a frame that had to forget its person

const { host, panel, sessions } = document.body.dataset
const state = document.getElementById("frame-state")
const send = window.fetch.bind(window)

let port = null
let session = ""
let user = ""
let renewal = 0
let pauseUntil = 0
let failures = 0
let shown = false
let late = 0

// Every request of this page goes out with the session: those of htmx, the stream, drafts.
window.fetch = async (resource, options = {}) => {
  const address = new URL(resource instanceof Request ? resource.url : resource, location.href)
  if (!session || address.origin !== location.origin) return send(resource, options)
  const headers = new Headers(options.headers ?? (resource instanceof Request ? resource.headers : {}))
  headers.set("Authorization", `Bearer ${session}`)
  const answer = await send(resource, { ...options, headers })
  if (answer.status !== 401) return answer
  if (answer.headers.get("X-Webclient-Session") === "ended") restart("signed-out")
  else askForToken("refused")
  return answer
}

function post(message) {
  port?.postMessage(message)
}

function say(name) {
  state.textContent = state.dataset[name] ?? ""
  post({ type: "size", height: state.offsetHeight })
}

// Only the page around the frame may answer, and only if it has the origin that the server has checked.

addEventListener("message", (event) => {
  const { source, origin, data, ports } = event
  if (port || source !== parent || origin !== host || data?.ns !== NS) return
  if (data.type !== "welcome" || data.v !== VERSION || ports.length !== 1) return
  port = ports[0]
  port.onmessage = ({ data }) => receive(Object(data))
  look(data.look)
  if (location.hash !== ENDED) return askForToken("start")
  // The page may not have signed the person out yet: its cookies and other tabs are a moment behind its backend.
  notSignedIn("ended")
  renewal = setTimeout(askForToken, SHORTEST_MS, "start")
})

function receive({ type, token, look: looks, id }) {
  if (type === "token" && typeof token === "string") exchange(token)
  else if (type === "token-failed") failed()
  else if (type === "look") look(looks)
  else if (type === "focus" || type === "open") document.dispatchEvent(new CustomEvent("frame:focus", { detail: id }))
}

function look(looks) {
  if (!applyLooks(looks)) post({ type: "error", code: "contrast" })
}

function askForToken(why) {
  if (performance.now() < pauseUntil) return
  pauseUntil = performance.now() + TOKEN_MS
  post({ type: "token-needed", why })
}

async function exchange(token) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" }
  if (session) headers.Authorization = `Bearer ${session}`
  let answer, found
  try {
    answer = await send(sessions, { method: "POST", headers, body: JSON.stringify({ token, origin: host }) })
    found = await answer.json()
  } catch {
    return failed("unreachable")
  }
  if (!answer.ok) return failed(found.code ?? String(answer.status))
  if (user && user !== found.user_id) return restart("person")
  pauseUntil = failures = 0
  session = found.token
  user = found.user_id
  renewLater(Date.parse(found.expires_at) - Date.parse(answer.headers.get("Date")))
  if (!shown) await show()
  else document.dispatchEvent(new Event("signed-in"))
}

function renewLater(left) {
  clearTimeout(renewal)
  // In the middle, long before the end. The times are the server's: this clock may be wrong.
  renewal = setTimeout(askForToken, Math.min(LONGEST_MS, Math.max(SHORTEST_MS, left / 2 || 0)), "renew")
}

// Nothing of the person may stay: they were signed out or disabled, or there is another one.
function restart(why) {
  post({ type: "pending", count: 0 })
  post({ type: "restart", why })
  document.body.hidden = true
  if (why === "signed-out") history.replaceState(null, "", ENDED)
  location.reload()
}

function notSignedIn(reason) {
  say(reason)
  post({ type: "signed-out" })
}

function failed(code) {
  if (code) post({ type: "error", code })
  // The page may have a token again in a moment. What is wrong about a first token stays wrong.
  clearTimeout(renewal)
  const pause = Math.min(LONGEST_PAUSE_MS, SHORTEST_MS * 2 ** failures++)
  pauseUntil = performance.now() + pause
  const isTriedAgain = session || !code || code === "unreachable"
  if (isTriedAgain) renewal = setTimeout(askForToken, pause + 1, session ? "refused" : "start")
  if (shown) return code === DISABLED && restart("disabled") // by an administrator; no stream asks again
  if (code === "unreachable") return say(code), post({ type: "lost" })
  if (code === DISABLED) return notSignedIn("disabled")
  notSignedIn(location.hash === ENDED ? "ended" : isTriedAgain ? "waiting" : "failed")
}

async function show() {
  try {
    const answer = await fetch(panel, { headers: { Accept: "text/html", "Page-Language": document.documentElement.lang } })
    if (!answer.ok) return failed(String(answer.status))
    const found = new DOMParser().parseFromString(await answer.text(), "text/html")
    const parts = [...found.body.children]
    state.replaceWith(...parts)
    for (const script of parts.flatMap((each) => [...each.querySelectorAll("script")])) runScript(script)
  } catch {
    return failed("unreachable")
  }
  shown = true
  const element = document.createElement("script")
  element.src = document.getElementById("frame-script").href
  element.onload = () => post({ type: "ready" })
  element.onerror = () => restart("unreachable") // cards without it could not be answered
  document.head.append(element)
}

// Browsers run no script that DOMParser has read.
function runScript(script) {
  script.replaceWith(Object.assign(document.createElement("script"), { type: script.type, src: script.src }))
}

document.addEventListener("stream:state", ({ detail }) => {
  clearTimeout(late)
  if (detail === "live") post({ type: "ready" })
  else if (detail === "reconnecting") late = setTimeout(post, LOST_MS, { type: "lost" })
  // Another frame may have said so, whose session is not this one.
  else if (detail === "signedOut") fetch(sessions.replace(/sessions$/, "me")).catch(() => {})
})

document.addEventListener("frame:post", ({ detail }) => post(detail))

if (parent === window) say("alone")
else parent.postMessage({ ns: NS, type: "hello", v: [VERSION] }, host)
