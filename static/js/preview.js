// Refreshes an open preview while the person types.

function refresh(form) {
  const preview = form?.querySelector("details.preview[open] > [hx-post]")
  if (preview) htmx.trigger(preview, "refresh")
}

document.addEventListener("input", (event) => refresh(event.target.form))
document.addEventListener("toggle", (event) => refresh(event.target.closest?.("form")), true)
