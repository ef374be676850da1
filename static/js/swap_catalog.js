// The swap style "catalog": shows the new catalog, and leaves each form alone in which the person has typed.
// Such a form also stays while its server is away, and after the server changed or withdrew it. Then it does not run,
// and says why.

import { isTyped } from "./dirty_form.js"

let morph

htmx.registerExtension("catalog", {
  init: (htmx) => {
    morph = htmx.morph
  },
  handle_swap: (style, catalog, fragment) => {
    if (style !== "catalog") return false
    for (const entry of catalog.querySelectorAll("details.catalog-entry")) preserve(entry, fragment.firstElementChild)
    morph(catalog, fragment, false)
    return [catalog]
  },
})

function preserve(entry, catalog) {
  const next = catalog.querySelector(`[id="${entry.id}"]`)
  if (next) next.open = entry.open
  const form = entry.querySelector("form")
  const isKept = Boolean(form) && isTyped(form)
  form?.toggleAttribute("hx-morph-skip", isKept)
  const isSame = form?.elements.shape.value === next?.querySelector("form")?.elements.shape.value
  if (!isKept || isSame) return entry.removeAttribute("hx-morph-skip")
  // The morph does not look inside, so an empty element with its id says that it stays, and where.
  const stays = entry.cloneNode(false)
  if (next) next.replaceWith(stays)
  else insert(stays, entry, catalog)
  entry.setAttribute("hx-morph-skip", "")
  entry.dataset.kept = !next && catalog.matches("[data-away]") ? "away" : "stale"
  explain(entry, next ? catalog.dataset.changed : catalog.dataset.absent)
}

function insert(stays, entry, catalog) {
  const section = sectionLike(entry.closest("section"), catalog)
  let before = entry.previousElementSibling
  while (!section.querySelector(`:scope > [id="${before.id}"]`)) before = before.previousElementSibling
  section.querySelector(`:scope > [id="${before.id}"]`).after(stays)
}

function sectionLike(section, catalog) {
  const found = catalog.querySelector(`section[aria-labelledby="${section.getAttribute("aria-labelledby")}"]`)
  if (found) return found
  const made = section.cloneNode(false)
  const heading = section.querySelector("h2").cloneNode(true)
  heading.querySelector("span")?.remove() // how many there are is unknown now
  made.append(heading)
  catalog.append(made)
  return made
}

function explain(entry, sentence) {
  let note = entry.querySelector(".catalog-entry__kept")
  if (!note) {
    note = document.createElement("p")
    note.className = "notice catalog-entry__kept"
    note.setAttribute("role", "status")
    note.tabIndex = -1
    entry.querySelector(".catalog-entry__body").prepend(note)
  }
  if (note.textContent !== sentence) note.textContent = sentence
}

document.addEventListener(
  "submit",
  (event) => {
    const entry = event.target.closest("details.catalog-entry[data-kept]")
    if (!entry) return
    event.preventDefault()
    event.stopImmediatePropagation()
    entry.querySelector(".catalog-entry__kept").focus()
  },
  true,
)
