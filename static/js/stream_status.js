// Shows the state of the stream, and an error when the backend failed or could not be reached.

import { saysInCard } from "./failed_send.js"

const NOT_STORED = 507 // then the backend's own sentence says why, and what to do

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
  const { failed, signedOut } = find("problem").dataset
  if (status === 401) {
    saysInCard(ctx, signedOut)
    document.dispatchEvent(new Event("signed-out"))
  } else if (status === NOT_STORED) complain(ctx, sentenceIn(ctx.text) ?? failed)
  else if (status >= 500) complain(ctx, failed)
})

document.addEventListener("signed-out", () => (find("signed-out").hidden = false))

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx?.sourceElement) complain(detail.ctx, find("problem").dataset.unreachable)
})

document.addEventListener("htmx:before:request", () => say("problem", ""))
