// A page around the frame can lay something over a card, or move the frame under a click that was meant for something else.
// So an answer counts only if its card has been seen, whole and uncovered, for half a second before.

const ARM_MS = 500
const MARGIN = 1 // pixels that a card may move

// Chromium tells whether an element is covered, transparent or distorted, also by the page around the frame. Elsewhere it
// has to be in sight.
const tracks = "isVisible" in IntersectionObserverEntry.prototype

const inSight = new Map() // where each card in sight came into it
const place = document.getElementById("covered")

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, isVisible, boundingClientRect: { top, left } } of entries) {
      const seen = isIntersecting && (!tracks || isVisible)
      const before = inSight.get(target)
      const moved = before && (Math.abs(before.top - top) > MARGIN || Math.abs(before.left - left) > MARGIN)
      if (!seen) forget(target)
      else if (!before || moved) remember(target, top, left)
    }
  },
  { trackVisibility: tracks, delay: 100, threshold: [0, 0.25, 0.5, 0.75, 1] },
)

function remember(card, top, left) {
  const here = { top, left }
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
  for (const card of document.querySelectorAll("#cards > article")) observer.observe(card)
}

function isArmed(card) {
  return inSight.has(card) && card.hasAttribute("data-armed")
}

// Before any other script hears of it: every answer goes out by a form.
addEventListener(
  "submit",
  (event) => {
    const card = event.target.closest?.("#cards > article")
    if (!card || isArmed(card)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    place.textContent = place.dataset.text
    document.dispatchEvent(new CustomEvent("frame:post", { detail: { type: "error", code: "not-visible" } }))
  },
  true,
)

document.addEventListener("htmx:before:request", () => (place.textContent = ""))
new MutationObserver(observe).observe(document.getElementById("cards"), { childList: true })
// The clock begins again when the frame comes back into sight, or the window.
for (const type of ["visibilitychange", "focus"]) addEventListener(type, () => document.hidden && [...inSight.keys()].forEach(forget))
observe()
