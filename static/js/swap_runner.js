// The swap style "runner": shows the form of an entry, and never loses arguments that the person has typed.
// A form with typed text stays while its server is away, and after the server changed or withdrew it. Then it does not
// run, and says why. The typed form of another entry is set aside, and comes back with its entry.

import { isTyped } from "./dirty_form.js"

let morph
const aside = new Map() // the address of an entry -> its form with typed text

htmx.registerExtension("runner", {
  init: (htmx) => {
    morph = htmx.morph
  },
  handle_swap: (style, runner, fragment) => {
    if (style !== "runner") return false
    const next = fragment.firstElementChild
    if (next.dataset.address !== runner.dataset.address) return [change(runner, next)]
    const form = formOf(runner)
    const hasTypedText = Boolean(form) && isTyped(form)
    form?.toggleAttribute("hx-morph-skip", hasTypedText)
    if (hasTypedText && next.dataset.shape !== runner.dataset.shape) stop(runner, next.dataset.state)
    else morph(runner, fragment, false)
    return [runner]
  },
})

function formOf(runner) {
  return runner.querySelector("form.call-form")
}

function change(runner, next) {
  const form = formOf(runner)
  if (form && isTyped(form)) aside.set(runner.dataset.address, form)
  const typed = aside.get(next.dataset.address)
  if (typed && formOf(next)?.elements.shape.value === typed.elements.shape.value) formOf(next).replaceWith(typed)
  runner.replaceWith(next)
  next.querySelector("h2")?.focus()
  return next
}

function stop(runner, state) {
  runner.dataset.state = state === "ready" ? "changed" : state
  const note = runner.querySelector(".runner__outdated")
  const sentence = runner.dataset[runner.dataset.state]
  if (note.textContent !== sentence) note.textContent = sentence
  note.hidden = false
}

document.addEventListener(
  "submit",
  (event) => {
    const runner = event.target.closest(".runner:is([data-state=away], [data-state=absent], [data-state=changed])")
    if (!runner || !event.target.matches(".call-form") || event.submitter?.matches("[name=edit]")) return
    event.preventDefault()
    event.stopImmediatePropagation()
    runner.querySelector(".runner__outdated").focus()
  },
  true,
)
