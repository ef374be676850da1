// Says that a button of a card takes no clicks yet, when a click or a key presses it (steady_cards.js, card.css): otherwise the
// press would seem to be lost.

const SAID_MS = 2500
const hiding = new WeakMap()

function isInertAt(button, { target, clientX: x, clientY: y }) {
  if (button.contains(target)) return false // it has got the click: it was pressed before it moved
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const isHit = left <= x && x <= right && top <= y && y <= bottom
  return isHit && getComputedStyle(button).pointerEvents === "none"
}

export function sayNotReady(card) {
  const place = card?.querySelector("[data-not-ready]")
  if (!place) return
  place.textContent = place.dataset.notReady
  clearTimeout(hiding.get(place))
  hiding.set(
    place,
    setTimeout(() => (place.textContent = ""), SAID_MS),
  )
}

document.addEventListener("click", (event) => {
  const card = event.target.closest?.(".card")
  if (card && [...card.querySelectorAll(".answers button")].some((button) => isInertAt(button, event))) sayNotReady(card)
})
