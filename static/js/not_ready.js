// Says that a button of a card takes no clicks yet, when one is pressed (steady_cards.js, card.css): otherwise the press
// would seem to be lost.

const SHOWN_MS = 2500
const timers = new WeakMap()

function inert(button, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const isHit = left <= x && x <= right && top <= y && y <= bottom
  return isHit && getComputedStyle(button).pointerEvents === "none"
}

function say(place) {
  place.textContent = place.dataset.notReady
  clearTimeout(timers.get(place))
  timers.set(
    place,
    setTimeout(() => (place.textContent = ""), SHOWN_MS),
  )
}

document.addEventListener("click", (event) => {
  const card = event.target.closest?.(".card")
  const place = card?.querySelector("[data-not-ready]")
  if (place && [...card.querySelectorAll(".answers button")].some((button) => inert(button, event))) say(place)
})
