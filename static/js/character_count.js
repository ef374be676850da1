// Counts code points, as the server does. Screen readers announce the count when the person pauses.

const PAUSE_MS = 1000
const pauses = new WeakMap()

function show(counter, control) {
  const seen = [...control.value].length
  const { most } = counter.dataset
  const { within, over } = counter.closest(".fields").dataset
  const words = seen > most ? over : within
  const text = words.replace("{seen}", seen).replace("{most}", most).replace("{over}", seen - most)
  counter.classList.toggle("field__error", seen > most)
  if (counter.firstElementChild.textContent !== text) counter.firstElementChild.textContent = text
  return text
}

function showAll() {
  for (const counter of document.querySelectorAll("[data-counts]")) {
    show(counter, document.getElementById(counter.dataset.counts))
  }
}

document.addEventListener("input", ({ target }) => {
  const counter = target.id && document.querySelector(`[data-counts="${CSS.escape(target.id)}"]`)
  if (!counter) return
  const text = show(counter, target)
  clearTimeout(pauses.get(counter))
  pauses.set(counter, setTimeout(() => (counter.lastElementChild.textContent = text), PAUSE_MS))
})

document.addEventListener("htmx:after:swap", showAll)
showAll()
