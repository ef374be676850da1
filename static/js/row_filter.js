// Shows only the questions that contain the text of the filter, and counts the selected ones. A click with Shift selects, or
// deselects, all rows from the one that was clicked before. Buttons select all rows of the server or call of a selected one.

let clicked = null // the checkbox

function apply() {
  const field = document.getElementById("filter")
  if (!field) return
  field.hidden = false
  const wanted = field.value.trim().toLocaleLowerCase()
  let found = 0
  for (const entry of document.querySelectorAll("#entries > .inbox__entry, #progress > .inbox__entry")) {
    entry.hidden = !entry.textContent.toLocaleLowerCase().includes(wanted)
    if (!entry.hidden) found++
  }
  document.getElementById("no-match").hidden = !wanted || found > 0
  select()
}

function select() {
  const text = document.getElementById("selected")
  if (!text) return
  const n = document.querySelectorAll(".request-row__check:checked").length
  text.textContent = text.dataset.text.replace("{n}", n)
}

const seenBoxes = () => [...document.querySelectorAll("#entries .request-row__check")].filter((box) => box.checkVisibility())

function selectAll(of) {
  const boxes = seenBoxes()
  const wanted = new Set(boxes.filter((box) => box.checked).map(of))
  for (const box of boxes) box.checked ||= wanted.has(of(box))
  select()
}

const OF = {
  server: (box) => box.closest(".request-row").dataset.server,
  call: (box) => box.closest(".inbox__entry").id,
}

function selectTo(box) {
  const boxes = seenBoxes()
  const ends = [boxes.indexOf(clicked), boxes.indexOf(box)].sort((one, other) => one - other)
  if (ends[0] < 0) return
  for (const each of boxes.slice(ends[0], ends[1] + 1)) each.checked = box.checked
  select()
}

document.addEventListener("click", (event) => {
  const { target, shiftKey } = event
  if (target.matches?.(".selection button[name=all]")) {
    event.preventDefault()
    selectAll(OF[target.value])
  }
  if (!target.matches?.(".request-row__check")) return
  if (shiftKey) selectTo(target)
  clicked = target
})
document.addEventListener("input", ({ target }) => target.id === "filter" && apply())
document.addEventListener("change", ({ target }) => target.matches(".request-row__check") && select())
document.addEventListener("entries:changed", apply)
document.addEventListener("htmx:after:swap", apply) // a snapshot shows all rows
document.addEventListener("page:shown", apply)
apply()
