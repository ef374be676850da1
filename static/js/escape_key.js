// Escape leaves a field of a card, and never answers: people press it to close date pickers and lists of options. The focus
// stays at that place in the card. Elsewhere in what the three dots unfold it folds that again.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
  if (!event.target.matches?.(".card :is(input, select, textarea)")) {
    const more = event.target.closest?.(".card__more[open]")
    if (!more) return
    event.preventDefault() // the frame in a chat page would close as well
    more.open = false
    more.querySelector("summary").focus({ preventScroll: true })
    return
  }
  const place = event.target.closest(".field, fieldset, .card")
  place.tabIndex = -1
  place.focus({ preventScroll: true })
})
