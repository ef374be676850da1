// The keys of the guided demo: Enter runs the scene, the right arrow goes to the next. A form is sent once only. The sentence
// on what happened comes into view, also after a long form.

const FIELDS = "input, textarea, select, [contenteditable]"
const SCROLLED = "pre, ol[tabindex], ul[tabindex]"
const ACTIVE = "a, button, summary, label, #cards"

function shown(part) {
  return document.querySelector(`#guide [data-guide="${part}"]`)
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
  // From an outcome, where the focus is after an answer, the arrow goes on; Enter runs nothing, lest a second one does.
  if (target.closest(`${FIELDS}, ${SCROLLED}, #cards article`)) return
  const wanted = key === "ArrowRight" ? shown("next") : key === "Enter" && !target.closest(ACTIVE) ? shown("run") : null
  if (!wanted) return
  event.preventDefault()
  wanted.click()
})

document.addEventListener("submit", (event) => {
  if (!event.target.matches("#guide [data-guide=form]")) return
  if (event.target.dataset.sent) event.preventDefault()
  event.target.dataset.sent = "true"
})

let shownResult = hasResult()

function hasResult() {
  return Boolean(document.querySelector("#happened > *"))
}

document.addEventListener("htmx:after:swap", () => {
  if (hasResult() && !shownResult) document.getElementById("happened").scrollIntoView({ block: "nearest", behavior: "instant" })
  shownResult = hasResult()
})

addEventListener("pageshow", () => document.querySelectorAll("#guide [data-sent]").forEach((form) => delete form.dataset.sent))
