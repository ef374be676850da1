// Shows the question of a row beside the list, if there is room for it. What was typed into a question that is left stays as
// it is for when it is shown again, also what no draft may keep.

import { isTyped } from "./dirty_form.js"

const MOST_SAVED = 50

const unsent = new Map() // questions with typed text that are not shown, by id
let byKey = false

let isChosen = false

const detail = () => document.getElementById("detail")
const shown = () => detail()?.querySelector("[data-request]")

function isPlain({ button, metaKey, ctrlKey, shiftKey, altKey }) {
  return button === 0 && !(metaKey || ctrlKey || shiftKey || altKey)
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".request-row__link, .detail__next a")
  if (!link || event.defaultPrevented || !isPlain(event) || !detail()?.checkVisibility()) return
  event.preventDefault()
  byKey = event.detail === 0
  isChosen = true
  htmx.ajax("GET", link.getAttribute("href"), { source: detail(), target: detail() })
})

// A pane that shows nothing shows the first question that comes; one that shows something never goes on by itself.
document.addEventListener("entries:changed", () => {
  const row = document.querySelector("#entries .request-row[data-state=pending]")
  if (shown() || !row || !detail()?.checkVisibility()) return
  byKey = isChosen = false
  htmx.ajax("GET", location.pathname + location.search, { source: detail(), target: detail() })
})

document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  const pane = ctx?.target === detail() && shown()
  if (!pane || ![...pane.querySelectorAll("article form")].some(isTyped)) return
  unsent.delete(pane.dataset.request)
  unsent.set(pane.dataset.request, pane)
  if (unsent.size > MOST_SAVED) unsent.delete(unsent.keys().next().value)
  pane.remove()
})

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx?.target === detail() && shown()) came(ctx)
  mark()
})

function came({ seen }) {
  restore(shown())
  detail().parentElement.scrollTop = 0
  // A window that is made narrow shows what was chosen, as its address says.
  if (isChosen) detail().parentElement.classList.add("detail--opened")
  document.dispatchEvent(new CustomEvent("detail:shown", { detail: seen }))
  if (byKey) detail().querySelector("[id^=request-] [tabindex], [id^=outcome-]")?.focus()
}

function restore(pane) {
  const before = unsent.get(pane.dataset.request)
  unsent.delete(pane.dataset.request)
  if (!before || !pane.querySelector("article")) return
  for (const part of ["deadline", "reason", "reach", "more-time"]) {
    const id = `#${part}-${pane.dataset.request}`
    const news = pane.querySelector(id)
    if (news) before.querySelector(id)?.replaceWith(news)
  }
  pane.replaceWith(before)
}

// The row of the question that is shown.

function mark() {
  const id = shown()?.dataset.request
  const link = id && document.querySelector(`#row-${CSS.escape(id)} .request-row__link`)
  for (const other of document.querySelectorAll(".request-row__link[aria-current]")) if (other !== link) other.removeAttribute("aria-current")
  link?.setAttribute("aria-current", "true")
}

document.addEventListener("entries:changed", mark)
document.addEventListener("page:shown", () => {
  unsent.clear()
  mark()
})
mark()
