// After an answer from the pane beside the list: opens the next question, if the person wants that. Until it is there, keys wait.
// An answer that was not taken while another question was opened says so at its row.

import { expectCard, isExpected, isSeen, settle } from "./cursor.js"
import { openRow, shownId } from "./detail.js"

const answers = new WeakMap() // an answer on its way -> the id of its question, and the card that keys wait for
let isByKey = false // the last button was pressed with a key: no other one comes to where the pointer is

const nextLink = () => document.querySelector("#detail .detail__next [data-advance]")

function begin({ detail: { ctx } }) {
  const pane = ctx.sourceElement.closest?.("#detail [data-request]")
  if (pane && ctx.request.submitter?.name === "action") answers.set(ctx, { id: pane.dataset.request, own: nextLink() && expectCard() })
}

function end({ detail: { ctx } }) {
  const answer = answers.get(ctx)
  if (!answer) return
  const isTaken = ctx.response?.status < 400
  if (!isTaken && shownId() !== answer.id) sayNotSent(answer.id)
  if (!answer.own || !isExpected(answer.own)) return
  if (isTaken && isOver(answer.id)) openRow(nextLink(), { isByKey, isAutomatic: true })
  else settle()
}

// An opened link waits for the person, who stays here.
function isOver(id) {
  return isSeen(nextLink()) && document.querySelector(`#undo-${id}, #outcome-${id}:not([data-state=waiting])`)
}

function sayNotSent(id) {
  const about = document.querySelector(`#row-${id} .request-row__about`)
  if (!about) return
  const words = document.createElement("strong")
  words.className = "request-row__alarm request-row__not-sent"
  words.textContent = document.getElementById("entries").dataset.notSent
  about.querySelector(".request-row__not-sent")?.remove()
  about.prepend(words)
  document.getElementById("announce").textContent = `${words.textContent} ${document.getElementById(`asks-${id}`).textContent}`
}

document.addEventListener("htmx:before:request", begin)
document.addEventListener("htmx:finally:request", end)
document.addEventListener("detail:shown", () => document.querySelector(`#row-${shownId()} .request-row__not-sent`)?.remove())
document.addEventListener("click", ({ target, detail }) => target.closest?.("button[name=action]") && (isByKey = detail === 0), { capture: true })
