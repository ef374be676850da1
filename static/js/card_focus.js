// Moves the focus when its card leaves: to the outcome, the next card, or the heading.

let left = null

document.addEventListener("htmx:before:swap", () => {
  const card = document.activeElement?.closest("[id^=request-]")
  if (card) left = { card, next: card.nextElementSibling, id: card.id.replace("request-", "") }
})

document.addEventListener("htmx:after:swap", () => {
  if (!left || left.card.isConnected) return
  if (document.activeElement === document.body) successor(left)?.focus({ preventScroll: true })
  left = null
})

function successor({ next, id }) {
  return (
    document.getElementById(`outcome-${id}`) ??
    (next?.isConnected && next.querySelector("h2[tabindex]")) ??
    document.querySelector("h1[tabindex]")
  )
}
