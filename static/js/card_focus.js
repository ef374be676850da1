// Moves the focus when its card leaves: to the line of an approval that can be undone, to Undo, the outcome, the card that
// comes back, the next card, or the heading.

let left = null

document.addEventListener("htmx:before:swap", () => {
  const card = document.activeElement?.closest("[id^=request-], [id^=undo-], [id^=outcome-]")
  if (card) left = { card, next: card.nextElementSibling, id: card.id.replace(/^(request|undo|outcome)-/, "") }
})

document.addEventListener("htmx:after:swap", () => {
  if (!left || left.card.isConnected) return
  if (document.activeElement === document.body) successor(left)?.focus({ preventScroll: true })
  left = null
})

function successor({ next, id }) {
  return (
    document.querySelector(`#undo-${id}[tabindex], #undo-${id} button`) ??
    document.getElementById(`outcome-${id}`) ??
    document.querySelector(`#request-${id} h2[tabindex]`) ??
    (next?.isConnected ? next.querySelector("h2[tabindex]") : null) ??
    document.querySelector("h1[tabindex]")
  )
}
