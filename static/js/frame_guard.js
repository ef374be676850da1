// A page around the frame can lay something over a card, or move the frame under a click that was meant for something else.
// So an answer counts only if its card has been seen, whole and uncovered, for half a second before.

const ARM_MS = 500
const CARDS = "#cards > article, #sign-ins > article"
const MARGIN = 1 // pixels that a card may move

// Chromium tells whether an element is covered, transparent or distorted, also by the page around the frame. Elsewhere it
// has to be in sight.
const tracks = "isVisible" in IntersectionObserverEntry.prototype

const inSight = new Map() // the place in this page at which each card in sight came into it
const place = document.getElementById("covered")

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, isVisible } of entries) {
      if (!isIntersecting || (tracks && !isVisible)) forget(target)
      else if (!inSight.has(target) || hasMoved(target)) remember(target)
    }
  },
  { trackVisibility: tracks, delay: 100, threshold: [0, 0.25, 0.5, 0.75, 1] },
)

function placeOf(card) {
  const { top, left } = card.getBoundingClientRect()
  return { top: top + scrollY, left: left + scrollX } // a person who scrolls moves no card
}

function hasMoved(card) {
  const [before, now] = [inSight.get(card), placeOf(card)]
  return Math.abs(before.top - now.top) > MARGIN || Math.abs(before.left - now.left) > MARGIN
}

function remember(card) {
  const here = placeOf(card)
  forget(card)
  inSight.set(card, here)
  setTimeout(() => inSight.get(card) === here && card.toggleAttribute("data-armed", true), ARM_MS)
}

function forget(card) {
  inSight.delete(card)
  card.removeAttribute("data-armed")
}

function observe() {
  for (const card of inSight.keys()) if (!card.isConnected) inSight.delete(card)
  observer.disconnect()
  for (const card of document.querySelectorAll(CARDS)) observer.observe(card)
}

function isArmed(card) {
  if (!inSight.has(card) || !card.hasAttribute("data-armed")) return false
  if (!hasMoved(card)) return true
  remember(card)
  return false
}

function startOver() {
  for (const card of [...inSight.keys()]) forget(card)
  observe()
}

// Before any other script hears of it: every answer goes out by a form.
addEventListener(
  "submit",
  (event) => {
    const card = event.target.closest?.(CARDS)
    if (!card || isArmed(card)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    observe() // should the browser have forgotten to tell, it tells again
    place.textContent = place.dataset.text
    document.dispatchEvent(new CustomEvent("frame:post", { detail: { type: "error", code: "not-visible" } }))
  },
  true,
)

document.addEventListener("htmx:before:request", () => (place.textContent = ""))
new MutationObserver(observe).observe(document.getElementById("cards"), { childList: true })
// What appears above a card moves it, and the observer tells only of cards that come into sight or leave it.
new ResizeObserver(observe).observe(document.getElementById("panel"))
// The clock begins again when the frame comes back into sight, and when the page around it has it scroll to a card.
document.addEventListener("visibilitychange", startOver)
document.addEventListener("frame:focus", startOver)
observe()
