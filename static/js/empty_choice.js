// The box that sends a field empty is no longer ticked as soon as something is typed or chosen there.

function untick({ target }) {
  const says = target.type === "checkbox" ? target.checked : target.value
  if (!says || target.closest?.(".field__empty")) return
  for (let field = target.closest?.(".field"); field; field = field.parentElement.closest(".field")) {
    const box = field.querySelector(":scope > .field__empty input:checked")
    if (box) box.checked = false
  }
}

document.addEventListener("input", untick)
