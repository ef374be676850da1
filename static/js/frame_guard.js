// A page around the frame can lay something over a card, show a part of it only, or move the frame under a click that was meant
// for something else. So a button counts only if it has been in sight, uncovered and at its place, for half a second; and what
// accepts, only if all of the card has been in sight so, at once or in turn.

const ARM_MS = 500
const SAMPLE_MS = 100
const REPORT_MS = 1500 // how long a card may be covered before the page around it hears of it
const MARGIN = 1 // pixels that a button may move
const CARDS = "#cards > article, #sign-ins > article"
const BUTTONS = "button:not([type=button])"
const WORDS = ".card__from, h2, .quote, .url__text"
const NEEDS_LITTLE = ["decline", "cancel", "dismiss", "mute"] // to say no is never harder than to say yes

// Chromium tells whether the frame is covered, transparent or distorted by the page around it: as a whole, so something over
// its edge counts as well. Elsewhere things have to be in sight.
const tracks = "isVisible" in IntersectionObserverEntry.prototype

const seen = new Map() // what has been in sight of each card
const still = new Map() // each button that is in sight: where, and since when
const reported = new Set() // the ids of the cards of which the page has heard that they are covered
const refusal = document.getElementById("refusal")

let sight = null // the part of this page that is in sight and uncovered
let coveredSince = 0
let engaged = null // what the person has just pressed or focused

function post(message) {
  document.dispatchEvent(new CustomEvent("frame:post", { detail: message }))
}

// An observer tells of changes only, and sometimes forgets to. A new one tells how things are.
function sample() {
  const observer = new IntersectionObserver(
    ([entry]) => {
      observer.disconnect()
      take(entry)
      setTimeout(sample, SAMPLE_MS)
    },
    { trackVisibility: tracks, delay: 100 },
  )
  observer.observe(document.documentElement)
}

function take({ isIntersecting, isVisible, intersectionRect }) {
  const cards = [...document.querySelectorAll(CARDS)]
  const isCovered = isIntersecting && tracks && !isVisible
  sight = isIntersecting && !isCovered && !document.hidden ? intersectionRect : null
  for (const card of seen.keys()) if (!card.isConnected) seen.delete(card)
  for (const button of still.keys()) if (!button.isConnected) still.delete(button)
  cards.forEach(look)
  if (!isCovered || !cards.length) coveredSince = 0
  else report(cards, intersectionRect)
}

function report(cards, { top, bottom }) {
  const now = performance.now()
  coveredSince ||= now
  if (engaged) raise(engaged)
  if (now - coveredSince < REPORT_MS) return
  const shown = cards.filter((card) => {
    const rect = card.getBoundingClientRect()
    return rect.bottom > top && rect.top < bottom && !reported.has(card.id)
  })
  for (const { id } of shown) reported.add(id)
  if (shown.length) post({ type: "covered" })
}

// What would not fit into the width of the window is not in sight.
function isBeside({ left, right }) {
  return left < sight.left - MARGIN || right > sight.right + MARGIN
}

function look(card) {
  const rect = card.getBoundingClientRect()
  // The words are those of one question for good. Should they change, or be laid out again, nothing was seen.
  const text = [...card.querySelectorAll(WORDS)].map((each) => each.textContent).join()
  let state = seen.get(card)
  if (state?.text !== text || state.width !== innerWidth) {
    seen.set(card, (state = { text, width: innerWidth, from: 0, to: 0, samples: [] }))
  }
  const { paddingLeft, paddingTop, paddingBottom } = getComputedStyle(card)
  const inner = { left: rect.left + parseFloat(paddingLeft), right: rect.right - parseFloat(paddingLeft) }
  const [from, to] = sight ? [Math.max(0, sight.top - rect.top), Math.min(rect.height, sight.bottom - rect.top)] : [0, 0]
  if (to <= from || isBeside(inner)) state.samples.length = 0
  else hold(state, from, to)
  state.whole ||= state.from <= parseFloat(paddingTop) && state.to >= rect.height - parseFloat(paddingBottom)
  if (to > from && rect.height > sight.height) recapitulate(card)
  const buttons = [...card.querySelectorAll(BUTTONS)]
  buttons.forEach(watch)
  const shown = buttons.filter((button) => still.has(button))
  card.toggleAttribute("data-seen", Boolean(state.whole))
  card.toggleAttribute("data-armed", shown.length > 0 && shown.every(isStill))
}

// What of the card was in sight in each sample of the last half second. It has been seen, if it touches what has been seen before.
function hold(state, from, to) {
  const now = performance.now()
  state.samples.push({ now, from, to })
  while (state.samples.length > 1 && state.samples[1].now <= now - ARM_MS) state.samples.shift()
  if (state.samples[0].now > now - ARM_MS) return
  from = Math.max(...state.samples.map((each) => each.from))
  to = Math.min(...state.samples.map((each) => each.to))
  if (to <= from) return
  const touches = from <= state.to && to >= state.from
  state.from = touches ? Math.min(from, state.from) : from
  state.to = touches ? Math.max(to, state.to) : to
}

// Above the buttons of a card that is longer than the window stands what they answer.
function recapitulate(card) {
  const place = card.querySelector(".answers")
  if (!place || card.querySelector(".card__recap")) return
  const recap = document.createElement("p")
  recap.className = "card__recap"
  recap.ariaHidden = "true"
  recap.append(card.querySelector("h2")?.textContent ?? "", " ", card.querySelector(".card__label")?.textContent ?? "")
  place.before(recap)
}

function watch(button) {
  const { top, left, right, bottom, width } = button.getBoundingClientRect()
  const above = button.closest(".answers")?.previousElementSibling
  const first = above?.matches(".card__recap") ? above.getBoundingClientRect().top : top
  const isInSight = sight && width && first >= sight.top - MARGIN && bottom <= sight.bottom + MARGIN && !isBeside({ left, right })
  const here = { top: top + scrollY, left: left + scrollX } // a person who scrolls moves no button
  const before = still.get(button)
  if (!isInSight) still.delete(button)
  else if (!before || hasMoved(before, here)) still.set(button, { ...here, since: performance.now() })
}

function hasMoved(before, now) {
  return Math.abs(before.top - now.top) > MARGIN || Math.abs(before.left - now.left) > MARGIN
}

function isStill(button) {
  const before = still.get(button)
  const { top, left } = button.getBoundingClientRect()
  return before && performance.now() - before.since >= ARM_MS && !hasMoved(before, { top: top + scrollY, left: left + scrollX })
}

function startOver() {
  still.clear()
  for (const card of document.querySelectorAll(CARDS)) card.removeAttribute("data-armed")
  for (const state of seen.values()) state.samples.length = 0
}

// The element lifts the frame above what covers it. It may have another height there.
function raise(target) {
  post({ type: "raise" })
  const options = { once: true, signal: AbortSignal.timeout(1000) }
  addEventListener("resize", () => target.scrollIntoView({ block: "nearest" }), options)
}

function why(card, button) {
  if (coveredSince) return "covered"
  if (!button || !isStill(button)) return "moved"
  return NEEDS_LITTLE.includes(button.value) || seen.get(card)?.whole ? "" : "unseen"
}

function refuse(card, button, reason) {
  card.querySelector(".refusal")?.remove()
  const notice = refusal.content.firstElementChild.cloneNode(true)
  notice.querySelector("p").textContent = notice.dataset[reason]
  notice.querySelector("[data-show]").hidden = reason !== "unseen"
  const place = button?.closest(".card__foot, .buttons") ?? card.lastElementChild
  place.after(notice) // below, so that the button stays where it is
  notice.scrollIntoView({ block: "nearest" })
  post({ type: "error", code: "not-visible" })
  if (reason === "covered") raise(notice)
}

// Before any other script hears of it: every answer goes out by a form.
addEventListener(
  "submit",
  (event) => {
    const form = event.target
    const card = form.closest?.(CARDS)
    if (!card) return
    const button = event.submitter ?? form.querySelector(BUTTONS)
    const reason = why(card, button)
    if (!reason) return card.querySelector(".refusal")?.remove()
    event.preventDefault()
    event.stopImmediatePropagation()
    refuse(card, button, reason)
  },
  true,
)

function engage(target) {
  if (!tracks || !target) return
  engaged = target
  if (coveredSince) raise(target)
  setTimeout(() => (engaged = null), 2 * SAMPLE_MS) // in which a cover is noticed
}

// Not when a pointer goes down: the frame would move before it comes up. A button is refused first.
for (const type of ["click", "keyup"]) {
  addEventListener(type, ({ target }) => target.closest?.(CARDS) && !target.closest(BUTTONS) && engage(target), true)
}

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-show]")) target.closest(CARDS).querySelector("h2").scrollIntoView({ block: "center" })
})

// The clock begins again when the frame comes back into sight, and when the page around it has it scroll to a card.
document.addEventListener("visibilitychange", startOver)
document.addEventListener("frame:focus", startOver)
document.addEventListener("frame:focus", () => engage(document.querySelector(CARDS)))
sample()
