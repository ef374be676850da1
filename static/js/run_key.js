// Ctrl+Enter, or ⌘+Enter, in the form of a tool, prompt or resource runs it, as it sends the answer in that of a question.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
  const form = event.target.closest?.("form.call-form")
  if (!form || event.repeat || event.isComposing || event.defaultPrevented) return
  event.preventDefault()
  form.querySelector("button[data-run]").click()
})
