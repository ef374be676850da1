// Escape cancels the question that has the focus. If its form has unsent text, the first Escape asks to confirm.

import { isTyped } from "./dirty_form.js"

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
  const form = event.target.closest?.("form[data-escape]")
  const cancel = form?.querySelector("button[value=cancel]")
  if (!cancel) return
  event.preventDefault()
  const question = form.querySelector(".escape")
  if (isTyped(form) && question.textContent === "") question.textContent = form.dataset.escape
  else cancel.click()
})

// Typing on or moving the focus withdraws the first Escape.
for (const type of ["input", "focusout"]) {
  document.addEventListener(type, (event) => {
    const question = event.target.form?.querySelector(".escape")
    if (question) question.textContent = ""
  })
}
