// An answer from the pane beside the list brings the next question, if the person wants that. Until it is there, keys wait.
// An answer that was not taken while another question was opened says so at its row, and why.

import { expectCard, isExpected, settle } from "./cursor.js"
import { showNext, shownId } from "./detail.js"
import { isSignedOut } from "./own_response.js"

const REASONS = { 409: "notSentEnded", 422: "notSentInvalid" }

const answers = new WeakMap() // an answer on its way -> the id of its question, and the card that keys wait for
let isByKey = false // the last button was pressed with a key: no other one comes to where the pointer is

function begin({ detail: { ctx } }) {
  const pane = ctx.sourceElement.closest?.("#detail [data-request]")
  if (!pane || ctx.request.submitter?.name !== "action") return
  const advance = pane.querySelector(".detail__next [data-advance]")?.dataset.advance
  answers.set(ctx, { id: pane.dataset.request, own: advance && expectCard() })
  ctx.request.action += advance ?? ""
}

// The address of another question comes with it.
function arrive(event) {
  const { ctx } = event.detail
  const answer = answers.get(ctx)
  if (!answer || !ctx.hx.pushurl) return
  if (isExpected(answer.own)) showNext(ctx, isByKey)
  else event.preventDefault() // meanwhile the person has opened another
}

function end({ detail: { ctx } }) {
  const answer = answers.get(ctx)
  if (!answer) return
  const reason = failure(ctx)
  if (reason && shownId() !== answer.id) sayNotSent(answer.id, reason)
  // No other question waits, or this one is not over.
  if (answer.own && isExpected(answer.own)) settle()
}

function failure({ response }) {
  if (!response) return "notSentUnreachable"
  if (isSignedOut(response.raw)) return "notSentSignedOut"
  return response.status < 400 ? "" : REASONS[response.status] ?? "notSent"
}

function sayNotSent(id, reason) {
  const about = document.querySelector(`#row-${id} .request-row__about`)
  if (!about) return
  const words = document.createElement("strong")
  words.className = "request-row__alarm request-row__not-sent"
  words.textContent = document.getElementById("entries").dataset[reason]
  about.querySelector(".request-row__not-sent")?.remove()
  about.prepend(words)
  document.getElementById("announce").textContent = `${words.textContent} ${document.getElementById(`asks-${id}`).textContent}`
}

document.addEventListener("htmx:before:request", begin)
document.addEventListener("htmx:after:request", arrive)
document.addEventListener("htmx:finally:request", end)
document.addEventListener("detail:shown", () => document.querySelector(`#row-${shownId()} .request-row__not-sent`)?.remove())
document.addEventListener("click", ({ target, detail }) => target.closest?.("button[name=action]") && (isByKey = detail === 0), { capture: true })
