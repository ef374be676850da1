// Copy buttons: shown only if the browser can copy; they confirm when it has. `data-copy` names the element whose text is
// copied, `data-copy-from` an address that gives the text, exactly as a server sent it.

const SHOWN_MS = 2000
const BUTTONS = "button:is([data-copy], [data-copy-from])"

function reveal(root) {
  if (!navigator.clipboard) return
  for (const button of root.querySelectorAll(BUTTONS)) button.hidden = false
}

async function load(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(answer.statusText)
  return answer.blob().then((blob) => new Blob([blob], { type: "text/plain" }))
}

function copy({ copy, copyFrom }) {
  if (copy) return navigator.clipboard.writeText(document.getElementById(copy).textContent)
  // The text may come later than the click: browsers allow that for a promise which they get at once.
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": load(copyFrom) })])
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.(BUTTONS)
  if (!button) return
  const label = button.textContent
  await copy(button.dataset)
  button.textContent = button.dataset.copied
  setTimeout(() => (button.textContent = label), SHOWN_MS)
})

document.addEventListener("htmx:after:swap", () => reveal(document))
reveal(document)
