// Shows the question of a row beside the list, if there is room for it. What was typed into a question that is left stays as
// it is for when it is shown again, also what no draft may keep.

import { isTyped } from "./dirty_form.js"

const MOST_SAVED = 50
const GUARDED_MS = 1000 // longer than any button takes no clicks because its card is new (card.css)

const unsent = new Map() // questions with typed text that are not shown, by id
let focused = null // what had the focus in the question that is being left
let byKey = false
let isStep = false
let isOwn = false // opened with a key or from the list, so that no button came to where the pointer is
let isChosen = false

const pane = () => document.getElementById("detail")
const shownRequest = () => pane()?.querySelector("[data-request]")

export const shownId = () => shownRequest()?.dataset.request
export const isBesideList = () => Boolean(pane()?.checkVisibility())

// Asks for the question of a link and tells the cursor so. Back does not return to each step through the list.
export function openRow(link, { isByKey = false, isOneOfMany = false } = {}) {
  byKey = isByKey
  isStep = isOneOfMany
  isChosen = true
  isOwn = isByKey || isOneOfMany || link.matches(".request-row__link")
  const answer = htmx.ajax("GET", link.getAttribute("href"), { source: pane(), target: pane() })
  document.dispatchEvent(new CustomEvent("detail:asked", { detail: { link, answer } }))
}

// Shows the next question, which the response to an answer has brought; `isByKey` tells how that was sent.
export function showNext(ctx, isByKey) {
  byKey = isChosen = true
  isStep = false
  isOwn = isByKey
  Object.assign(ctx, { target: pane(), swap: pane().getAttribute("hx-swap") })
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".request-row__link, .detail__next a, .last-answer a")
  // With one of these keys it opens a tab or window of its own, or is saved.
  if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !isBesideList()) return
  event.preventDefault()
  openRow(link, { isByKey: event.detail === 0 })
})

document.addEventListener("htmx:before:history:update", ({ detail: { history: entry, sourceElement } }) => {
  if (isStep && sourceElement === pane()) entry.type = "replace"
})

// A pane that shows nothing, and waits for nothing, shows the first question that comes; one that shows something never goes on
// by itself.
document.addEventListener("entries:changed", () => {
  const row = document.querySelector("#entries .request-row[data-state=pending]")
  if (shownId() || !row || !isBesideList() || pane().matches(".htmx-request")) return
  byKey = isStep = isChosen = isOwn = false
  htmx.ajax("GET", location.pathname + location.search, { source: pane(), target: pane() })
})

document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  const left = ctx?.target === pane() && shownRequest()
  const typed = left ? [...left.querySelectorAll("article form")].filter(isTyped) : []
  focused = left && document.activeElement
  // What was typed into the question that has just been answered is sent, or comes back with Undo.
  if (!typed.length || typed.includes(ctx.sourceElement)) return
  unsent.delete(left.dataset.request)
  unsent.set(left.dataset.request, left)
  if (unsent.size > MOST_SAVED) unsent.delete(unsent.keys().next().value)
  left.remove()
})

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx?.target === pane() && shownId()) came(ctx)
})

function came({ seen }) {
  restore(shownRequest())
  if (isOwn) shortenGuard(shownRequest().querySelector("article.card"))
  pane().parentElement.scrollTop = 0
  // A window that is made narrow shows what was chosen, as its address says.
  if (isChosen) pane().parentElement.classList.add("detail--opened")
  document.dispatchEvent(new CustomEvent("detail:shown", { detail: seen }))
  // A key that waited for the card has moved the focus by now.
  if (byKey && !pane().contains(document.activeElement)) pane().querySelector("[id^=request-] [tabindex], [id^=outcome-]")?.focus()
}

// Only for this card, this time: one that comes in its place, or is shown again, has come by itself.
function shortenGuard(card) {
  card?.classList.add("card--opened")
  setTimeout(() => card?.classList.remove("card--opened"), GUARDED_MS)
}

function restore(news) {
  const before = unsent.get(news.dataset.request)
  unsent.delete(news.dataset.request)
  if (!before || !news.querySelector("article")) return
  for (const part of ["deadline", "reason", "reach", "more-time"]) {
    const id = `#${part}-${news.dataset.request}`
    const newPart = news.querySelector(id)
    if (newPart) before.querySelector(id)?.replaceWith(newPart)
  }
  news.replaceWith(before)
  // The question that is shown was asked for again.
  if (before.contains(focused)) focused.focus({ preventScroll: true })
}

document.addEventListener("page:shown", () => unsent.clear())
