// Says in a card that its answer was not sent, above its buttons, and sends it again on demand.

const pressed = new WeakMap()

export function saysInCard({ sourceElement, request }, text) {
  const place = sourceElement?.querySelector?.(".not-sent")
  if (!place || !request.submitter) return false
  pressed.set(place, request.submitter)
  place.querySelector("p").textContent = text
  place.hidden = false
  place.scrollIntoView({ block: "nearest" })
  return true
}

document.addEventListener("click", ({ target }) => {
  const place = target.closest?.(".not-sent button")?.closest(".not-sent")
  if (place) place.closest("form").requestSubmit(pressed.get(place))
})

document.addEventListener("htmx:before:request", ({ target }) => {
  const place = target.querySelector?.(".not-sent")
  if (place) place.hidden = true
})
