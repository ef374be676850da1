// Escape leaves a field of a card, and never answers: people press it to close date pickers and lists of options.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
  if (event.target.matches?.(".card :is(input, select, textarea)")) event.target.blur()
})
