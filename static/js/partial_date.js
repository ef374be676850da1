// Stops a form with an incomplete date, which browsers would post as empty, and shows an error.

function say(control) {
  const sentence = document.createElement("p")
  sentence.className = "field__error"
  sentence.id = `${control.id}-unfinished`
  sentence.setAttribute("role", "alert")
  sentence.textContent = control.closest(".fields").dataset.unfinished
  document.getElementById(sentence.id)?.remove()
  control.before(sentence)
  control.setAttribute("aria-invalid", "true")
}

function stop(event, form) {
  const controls = [...form.querySelectorAll(".fields input")].filter((each) => each.validity.badInput)
  if (controls.length === 0) return
  event.preventDefault()
  event.stopImmediatePropagation()
  controls.forEach(say)
  controls[0].focus()
}

document.addEventListener("submit", (event) => event.submitter?.formNoValidate || stop(event, event.target), true)

// A button that sends the form by itself, such as one that adds an entry, submits nothing.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest?.("button[hx-post]")
    if (button?.form && !button.formNoValidate) stop(event, button.form)
  },
  true,
)

document.addEventListener("input", ({ target }) => {
  const sentence = target.id && document.getElementById(`${target.id}-unfinished`)
  if (!sentence || target.validity.badInput) return
  sentence.remove()
  target.removeAttribute("aria-invalid")
})
