// Counts the seconds down in which something can be undone. The server sends the first number, so no clocks are compared.
// A card is replaced when they are over; what an action on several has left on the page goes away.

const EVERY_MS = 250
const ends = new WeakMap()

function remove(form) {
  if (form?.contains(document.activeElement)) form.closest("[tabindex]").focus({ preventScroll: true })
  form?.remove()
}

setInterval(() => {
  for (const element of document.querySelectorAll("[data-countdown]")) {
    if (!ends.has(element)) ends.set(element, performance.now() + Number(element.textContent) * 1000)
    const left = String(Math.max(0, Math.ceil((ends.get(element) - performance.now()) / 1000)))
    if (element.textContent !== left) element.textContent = left
    if (left === "0") remove(element.closest(".flash__undo"))
  }
}, EVERY_MS)
