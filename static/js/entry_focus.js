// Focuses an entry that was added to a list, so that screen readers announce it, then its first control.

document.addEventListener("focusin", ({ target }) => {
  if (!target.matches(".field__entry[autofocus]")) return
  target.removeAttribute("autofocus")
  target.querySelector("input:not([type=hidden]), select, textarea, button[value]")?.focus()
})
