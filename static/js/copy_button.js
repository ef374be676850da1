// Copy buttons: shown only if the browser can copy; they confirm when it has.

const SHOWN_MS = 2000

function reveal(root) {
  if (!navigator.clipboard) return
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]")
  if (!button) return
  const label = button.textContent
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
  button.textContent = button.dataset.copied
  setTimeout(() => (button.textContent = label), SHOWN_MS)
})

document.addEventListener("htmx:after:swap", () => reveal(document))
reveal(document)
