// The list of a server's tools: filtered while typing, and the row of the open entry is marked.
// The swap style "catalog" shows a new list in the same way, and reads the open entry again.

import { ask } from "./own_response.js"

let morph

htmx.registerExtension("catalog", {
  init: (htmx) => {
    morph = htmx.morph
  },
  handle_swap: (style, list, fragment) => {
    if (style !== "catalog") return false
    morph(list, fragment, false)
    filter()
    mark()
    readAgain()
    return [list]
  },
})

function search() {
  return document.querySelector("input[data-filters]")
}

function filter() {
  const input = search()
  const list = document.getElementById(input?.dataset.filters)
  if (!list) return
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const row of list.querySelectorAll("li")) {
    const text = row.textContent.toLowerCase()
    row.hidden = !words.every((word) => text.includes(word))
  }
  for (const group of list.querySelectorAll("[data-group]")) group.hidden = !group.querySelector("li:not([hidden])")
  const none = list.querySelector("[data-unmatched]")
  if (!none) return
  none.hidden = Boolean(list.querySelector("li:not([hidden])"))
  none.firstElementChild.textContent = none.dataset.unmatched.replace("{query}", input.value.trim())
}

function mark() {
  const address = document.getElementById("runner")?.dataset.address
  for (const link of document.querySelectorAll(".entry-row")) {
    if (link.getAttribute("href") === address) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
  }
}

async function readAgain() {
  const runner = document.getElementById("runner")
  const address = runner?.dataset.address
  if (!address) return
  const headers = { Accept: "text/html", "HX-Request": "true" }
  const answer = await ask(address, { headers }).catch(() => null)
  if (!answer || (!answer.ok && answer.status !== 404)) return // the next push asks again
  const text = await answer.text()
  if (document.getElementById("runner")?.dataset.address !== address) return
  const target = document.getElementById("runner")
  await htmx.swap({ text, sourceElement: target, target, swap: "runner" })
}

function focusFirst(list) {
  list.querySelector("li:not([hidden]) a")?.focus()
}

document.addEventListener("input", ({ target }) => target.matches("input[data-filters]") && filter())

document.addEventListener("keydown", (event) => {
  const input = search()
  if (!input || event.ctrlKey || event.metaKey || event.altKey) return
  const list = document.getElementById(input.dataset.filters)
  if (event.target !== input) return
  else if (event.key === "ArrowDown") focusFirst(list)
  else if (event.key === "Enter") list.querySelector("li:not([hidden]) a")?.click()
  else return
  event.preventDefault()
})

document.addEventListener("click", (event) => {
  const clear = event.target.closest?.("[data-unmatched] a")
  if (!clear || !search()) return
  event.preventDefault()
  search().value = ""
  filter()
  search().focus()
})

document.addEventListener("htmx:after:swap", mark)

// A browser that comes back to a page keeps what was typed into its search.
filter()
mark()
