// Shows only the questions that contain the text of the filter, and counts the selected ones. A click with Shift selects, or
// deselects, all rows from the one that was clicked before.

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

function selectTo(box) {
  const boxes = [...document.querySelectorAll("#entries .request-row__check")].filter((each) => each.checkVisibility())
  const ends = [boxes.indexOf(clicked), boxes.indexOf(box)].sort((one, other) => one - other)
  if (ends[0] < 0) return
  for (const each of boxes.slice(ends[0], ends[1] + 1)) each.checked = box.checked
  select()
}

document.addEventListener("click", ({ target, shiftKey }) => {
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
