// Whether a form differs from the page as it was loaded.

export function isTyped(form) {
  // A form that was left and comes back holds what was typed as if it had never been otherwise.
  if (form.matches("[data-typed]")) return true
  return [...form.elements].some((control) => {
    if (control.type === "checkbox" || control.type === "radio") return control.checked !== control.defaultChecked
    if (control.options) return [...control.options].some((option) => option.selected !== option.defaultSelected)
    return "defaultValue" in control && control.type !== "hidden" && control.value !== control.defaultValue
  })
}
