// Suggests values for the arguments of prompts and resource templates, as a list box below the field (ARIA Authoring
// Practices, Combobox). Typing never waits for them: what fails, or comes too late, suggests nothing.

import { ask } from "./own_response.js"

const PAUSE_MS = 250

let field = null // the field that suggestions are for
let list = null
let timer = 0
let request = new AbortController()

function place(input) {
  if (field === input) return
  close()
  field = input
  list?.remove()
  list = document.createElement("ul")
  list.className = "suggestions"
  list.id = `${input.id}-suggestions`
  list.hidden = true
  list.setAttribute("role", "listbox")
  list.setAttribute("aria-label", input.form.dataset.suggestions)
  input.after(list)
  input.setAttribute("role", "combobox")
  input.setAttribute("aria-autocomplete", "list")
  input.setAttribute("aria-controls", list.id)
  input.setAttribute("aria-expanded", "false")
}

async function suggest(input) {
  request.abort()
  request = new AbortController()
  const { value, form } = input
  const body = new URLSearchParams([...new FormData(form), ["complete", input.name]])
  const headers = { Accept: "text/html", "HX-Request": "true" }
  const options = { method: "POST", body, headers, signal: request.signal }
  const answer = await ask(form.dataset.completes, options).catch(() => null)
  if (!answer?.ok) return close()
  const text = await answer.text().catch(() => "")
  if (document.activeElement !== input || input !== field || input.value !== value) return
  list.replaceChildren(...new DOMParser().parseFromString(`<ul>${text}</ul>`, "text/html").querySelectorAll("li"))
  const values = choices()
  values.forEach((option, n) => (option.id = `${list.id}-${n}`))
  // A list with only the text of the field is useless.
  const isDone = values.length === 1 && values[0].dataset.value === value
  if (values.length && !isDone) open()
  else close()
}

function choices() {
  return [...(list?.querySelectorAll("[role=option]") ?? [])]
}

function open() {
  list.hidden = false
  field.setAttribute("aria-expanded", "true")
}

function close() {
  clearTimeout(timer)
  if (!field) return
  list.hidden = true
  field.setAttribute("aria-expanded", "false")
  field.removeAttribute("aria-activedescendant")
  for (const option of choices()) option.setAttribute("aria-selected", "false")
}

function move(by) {
  const all = choices()
  const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true")
  const next = all[at === -1 && by < 0 ? all.length - 1 : (at + by + all.length) % all.length]
  for (const option of all) option.setAttribute("aria-selected", String(option === next))
  field.setAttribute("aria-activedescendant", next.id)
  next.scrollIntoView({ block: "nearest" })
}

function take(option) {
  field.value = option.dataset.value
  close()
}

document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.("form[data-completes] input.input[type=text]")) place(target)
})

document.addEventListener("input", ({ target }) => {
  if (target !== field) return
  clearTimeout(timer)
  timer = setTimeout(() => suggest(target), PAUSE_MS)
})

// Before any other script: Escape closes the list, and does not leave the field.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.target !== field || event.isComposing) return
    const isOpen = !list.hidden
    const selected = list.querySelector("[aria-selected=true]")
    if (event.key === "ArrowDown" && !isOpen) suggest(field)
    else if (event.key === "ArrowDown") move(1)
    else if (event.key === "ArrowUp" && isOpen) move(-1)
    else if (event.key === "Enter" && isOpen && selected) take(selected)
    else if (event.key === "Escape" && isOpen) close()
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  true,
)

document.addEventListener("pointerdown", (event) => {
  const option = event.target.closest?.(".suggestions [role=option]")
  if (!option) return
  event.preventDefault() // the field keeps the focus
  take(option)
})

document.addEventListener("focusout", ({ target }) => target === field && close())
