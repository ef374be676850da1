// Checks a form again while a field in error is mended: the server says which errors are left, and they are shown or go.

import { ask } from "./own_response.js"

const PAUSE_MS = 300
const timers = new WeakMap()

function later(form) {
  clearTimeout(timers.get(form))
  timers.set(form, setTimeout(check, PAUSE_MS, form))
}

async function check(form) {
  const body = new URLSearchParams(new FormData(form))
  try {
    const answer = await ask(form.dataset.check, { method: "POST", body })
    if (answer.ok) show(form, await answer.json())
  } catch {
    // What is wrong is said again when the form is sent.
  }
}

function show(form, errors) {
  for (const sentence of form.querySelectorAll(".field__error[id]")) {
    const id = sentence.id.replace(/-error$/, "")
    if (errors[id] === undefined) mend(form, sentence, id)
    else if (sentence.textContent !== errors[id]) sentence.textContent = errors[id]
  }
  const summary = form.querySelector(".error-summary")
  if (summary && !summary.querySelector("li")) summary.remove()
}

function mend(form, sentence, id) {
  const field = sentence.closest(".field")
  sentence.remove()
  field.classList.remove("field--wrong")
  for (const control of [field, ...field.querySelectorAll("[aria-invalid]")]) control.removeAttribute("aria-invalid")
  for (const control of form.querySelectorAll(`[aria-describedby~="${sentence.id}"]`)) {
    const others = control.getAttribute("aria-describedby").split(" ").filter((other) => other !== sentence.id)
    control.setAttribute("aria-describedby", others.join(" "))
  }
  for (const line of form.querySelectorAll("[data-wrong]")) {
    if (line.dataset.wrong === id || line.dataset.wrong.startsWith(`${id}-`)) line.remove()
  }
}

function changed({ target }) {
  const form = target.form
  if (form?.dataset.check && target.closest(".field--wrong")) later(form)
}

document.addEventListener("input", changed)
document.addEventListener("focusout", changed)
