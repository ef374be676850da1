// Turns a one-line input into a text box when the person asks for it or pastes several lines.

function expand(line) {
  const box = document.createElement("textarea")
  for (const { name, value } of line.attributes) {
    if (name !== "type" && name !== "value") box.setAttribute(name, value)
  }
  box.rows = 4
  box.defaultValue = line.defaultValue
  box.value = line.value
  box.setSelectionRange(line.selectionStart, line.selectionEnd)
  line.replaceWith(box)
  button(box.id).remove()
  box.focus()
  return box
}

function button(id) {
  return document.querySelector(`[data-expand="${CSS.escape(id)}"]`)
}

function reveal() {
  for (const each of document.querySelectorAll("button[data-expand]")) each.hidden = false
}

document.addEventListener("click", ({ target }) => {
  const pressed = target.closest?.("button[data-expand]")
  if (pressed) expand(document.getElementById(pressed.dataset.expand))
})

document.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n")
  if (!/\n./.test(text) || !event.target.id || !button(event.target.id)) return
  event.preventDefault()
  const box = expand(event.target)
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end")
  box.dispatchEvent(new Event("input", { bubbles: true }))
})

document.addEventListener("htmx:after:swap", reveal)
reveal()
