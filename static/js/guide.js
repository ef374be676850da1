// The keys of the guided demo: Enter runs the scene, the right arrow goes to the next. A form is sent once only. The sentence
// on what happened comes into view, and so does a new question, unless the person has moved on since the last answer.

const FIELDS = "input, textarea, select, [contenteditable]"
const SCROLLED = "pre, ol[tabindex], ul[tabindex]"
const ACTIVE = "a, button, summary, label, #cards"
const DRIFT = 2 // pixels: who scrolls moves a page by more

function shown(part) {
  return document.querySelector(`#guide [data-guide="${part}"]`)
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
  // From an outcome, where the focus is after an answer, the arrow goes on; Enter runs nothing, lest a second one does.
  if (target.closest(`${FIELDS}, ${SCROLLED}, #cards article`)) return
  const wanted = key === "ArrowRight" ? shown("next") : key === "Enter" && !target.closest(ACTIVE) ? shown("run") : null
  if (!wanted) return key === "Enter" && !target.closest(ACTIVE) && sayThatItRuns()
  event.preventDefault()
  wanted.click()
})

// What starts a scene has nothing to do while it runs, so it leads to the question that waits.
function sayThatItRuns() {
  const words = shown("runs")
  if (!words) return
  words.textContent = words.dataset.words
  const [card] = pendingCards()
  bringIntoView(card ? document.getElementById(card) : words)
}

document.addEventListener("submit", (event) => {
  hasMoved = false
  if (!event.target.matches("#guide [data-guide=form]")) return
  if (event.target.dataset.sent) event.preventDefault()
  event.target.dataset.sent = "true"
})

let shownResult = hasResult()
let shownCards = pendingCards()
let hasMoved = false // by scrolling or with Tab, since the last answer: where the person looks must stay in sight

function hasResult() {
  return Boolean(document.querySelector("#happened h2"))
}

function pendingCards() {
  return [...document.querySelectorAll("#cards article")].map(({ id }) => id)
}

function bringIntoView(part) {
  const { height } = part.getBoundingClientRect()
  part.scrollIntoView({ block: height > innerHeight ? "start" : "nearest", behavior: "instant" })
}

function look() {
  const cards = pendingCards()
  const isTyping = document.activeElement?.closest("#cards article")
  const fresh = cards.find((id) => !shownCards.includes(id))
  const isResultNew = hasResult() && !shownResult
  // With the next step below it, if both fit.
  if (!hasMoved && isResultNew) for (const id of ["scene-next", "happened"]) bringIntoView(document.getElementById(id))
  else if (!hasMoved && fresh && !isTyping) bringIntoView(document.getElementById(fresh))
  // In the presenter's view, what was long is left above.
  if (!hasMoved && isResultNew) document.getElementById("cards").scrollTop = 0
  shownResult = hasResult()
  shownCards = cards
}

// Where a person is with the keyboard stays in sight when cards above it come and go.
function placeOfFocus() {
  const focused = document.activeElement
  return hasMoved && !focused.matches("body, #cards *") ? { focused, top: focused.getBoundingClientRect().top } : null
}

let place = null // of the focus, before a change
document.addEventListener("htmx:before:swap", () => {
  const now = placeOfFocus()
  // This change makes up for the part of a pixel that the last one left.
  if (now?.focused !== place?.focused || Math.abs(now?.top - place?.top) >= DRIFT) place = now
})
document.addEventListener("htmx:after:swap", () => {
  const now = placeOfFocus()
  // Chromium would round down each time.
  if (now && now.focused === place?.focused) scrollBy({ top: Math.round(now.top - place.top), behavior: "instant" })
  look()
})

function moved() {
  hasMoved = true
  place = null
}

document.addEventListener("keydown", ({ key }) => key === "Tab" && moved())
for (const type of ["wheel", "touchmove"]) addEventListener(type, moved, { passive: true })
// The page of a scene that was just run has its question already.
if (shownCards.length) bringIntoView(document.getElementById(shownCards[0]))

addEventListener("pageshow", () => document.querySelectorAll("#guide [data-sent]").forEach((form) => delete form.dataset.sent))
