// An entry that was added to a list gets the focus, for readers to say what it is; whoever added it types in its first
// control.

document.addEventListener("focusin", ({ target }) => {
  if (!target.matches(".field-entry[autofocus]")) return
  target.removeAttribute("autofocus")
  target.querySelector("input:not([type=hidden]), select, textarea, button[value]")?.focus()
})
