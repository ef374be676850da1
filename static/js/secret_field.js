// Shows and hides what is typed into a field that may take a secret; without this script it stays hidden.

function reveal() {
  for (const button of document.querySelectorAll(".field__show")) button.hidden = false
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.(".field__show")
  if (!button) return
  const field = document.getElementById(button.dataset.show)
  field.classList.toggle("input--masked")
  const label = button.textContent
  button.textContent = button.dataset.hide
  button.dataset.hide = label
  field.focus()
})

document.addEventListener("htmx:after:swap", reveal)
reveal()
