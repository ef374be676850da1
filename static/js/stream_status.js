// Shows the state of the stream, and an error when the backend failed or could not be reached.

import { saysInCard } from "./failed_send.js"
import { isSignedOut, signedOutNow } from "./own_response.js"

const NOT_STORED = [503, 507] // then the backend's own sentence says why, and what to do

const SHORT_MS = 3000 // a stream that is back after this time needs no notice

// Looked up each time: another page may have taken the place of the one that was loaded.
const find = (id) => document.getElementById(id)

function say(id, text) {
  const element = find(id)
  if (element.textContent !== text) element.textContent = text
}

let late = 0

document.addEventListener("stream:state", ({ detail }) => {
  find("stream-state").dataset.state = detail
  find("stream-state").classList.remove("banner--still")
  clearTimeout(late)
  if (detail === "reconnecting") late = setTimeout(sayState, SHORT_MS)
  else say("stream-state", "")
  if (detail !== "reconnecting") find("signed-out").hidden = detail === "live"
  if (detail === "live") say("problem", "")
})

function sayState() {
  const { state, reconnecting } = find("stream-state").dataset
  if (state === "reconnecting") say("stream-state", reconnecting)
}

function sentenceIn(text) {
  return new DOMParser().parseFromString(text, "text/html").querySelector(".problem p")?.textContent
}

function complain(ctx, text) {
  if (!saysInCard(ctx, text)) say("problem", text)
}

document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  const { status } = ctx.response
  const { failed } = find("problem").dataset
  if (NOT_STORED.includes(status)) complain(ctx, sentenceIn(ctx.text) ?? failed)
  else if (status >= 500) complain(ctx, failed)
})

// The sign-in page of a proxy must not take the place of a card.
document.addEventListener("htmx:before:response", (event) => {
  const { ctx } = event.detail
  if (!isSignedOut(ctx.response.raw)) return
  event.preventDefault()
  endSignIn(ctx)
})

function endSignIn(ctx) {
  saysInCard(ctx, find("problem").dataset.signedOut)
  document.dispatchEvent(new Event("signed-out"))
}

document.addEventListener("signed-out", () => (find("signed-out").hidden = false))

document.addEventListener("htmx:error", async ({ detail: { ctx } }) => {
  if (!ctx?.sourceElement) return
  // A redirect to a sign-in on another site fails like a network that is down.
  if (await signedOutNow()) endSignIn(ctx)
  else complain(ctx, find("problem").dataset.unreachable)
})

document.addEventListener("htmx:before:request", () => say("problem", ""))
