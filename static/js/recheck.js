// Checks a form again while an error is mended; the server says which are left.

import { ask } from "./own_response.js"

const PAUSE_MS = 300
const timers = new WeakMap()

function later(form) {
  clearTimeout(timers.get(form))
  timers.set(form, setTimeout(check, PAUSE_MS, form))
}

async function check(form) {
  try {
    const answer = await ask(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)) })
    if (answer.ok) show(form, await answer.json())
  } catch {
    // It is said again when the form is sent.
  }
}

function show(form, errors) {
  for (const sentence of form.querySelectorAll(".field__error[id]")) {
    const id = sentence.id.replace(/-error$/, "")
    if (errors[id] === undefined) mend(form, sentence, id)
    else if (sentence.textContent !== errors[id]) sentence.textContent = errors[id]
  }
  form.querySelector(".error-summary:not(:has(li))")?.remove()
}

function mend(form, sentence, id) {
  const field = sentence.closest(".field")
  // It stays, empty: its field names it as its description.
  sentence.className = sentence.textContent = ""
  sentence.hidden = true
  field.classList.remove("field--wrong")
  for (const control of [field, ...field.querySelectorAll("[aria-invalid]")]) control.removeAttribute("aria-invalid")
  for (const line of form.querySelectorAll("[data-wrong]")) {
    if (`${line.dataset.wrong}-`.startsWith(`${id}-`)) line.remove()
  }
}

function changed({ target }) {
  const form = target.form
  if (form?.dataset.check && target.closest(".field--wrong")) later(form)
}

document.addEventListener("input", changed)
document.addEventListener("focusout", changed)
