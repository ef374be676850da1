// The swap style "entries": puts entries of the inbox into their lists, each at its place. While the pointer or the focus is
// in a list, nothing in it moves: what is new stands at the end, and what left stays until it is left alone.

const LISTS = { waiting: "entries", progress: "progress", settled: "settled" }
const MOST_SETTLED = 50

const late = new Map() // entries that wait until the list is left alone, by id

htmx.registerExtension("entries", {
  handle_swap: (style, _target, fragment) => {
    if (style !== "entries") return false
    const entries = [...fragment.children]
    for (const entry of entries) put(entry)
    count()
    document.dispatchEvent(new Event("entries:changed"))
    return entries
  },
})

function isInUse() {
  const form = document.querySelector(".inbox__form")
  return form?.matches(":hover, :has(:focus-visible)") ?? false
}

function put(entry) {
  const before = document.getElementById(entry.id)
  const { section } = entry.dataset
  if (section === "settled") return putSettled(entry, before)
  if (!isInUse() || !before?.closest("#entries")) {
    late.delete(entry.id)
    return place(entry, before)
  }
  late.set(entry.id, entry)
  for (const row of before.querySelectorAll(".request-row")) refresh(row, entry.querySelector(`#${CSS.escape(row.id)}`))
}

// A row that stays where it is says what it knows by now; not while it is pressed, because a click is lost if the element under
// the pointer is replaced before the button is released.
function refresh(row, news) {
  row.dataset.state = news?.dataset.state ?? "gone"
  if (!news) row.querySelector(".request-row__check")?.remove()
  else if (!row.matches(":active")) aboutOf(row).replaceChildren(...aboutOf(news).cloneNode(true).childNodes)
}

function aboutOf(row) {
  return row.querySelector(".request-row__about")
}

function putSettled(entry, before) {
  const list = document.getElementById(LISTS.settled)
  if (before) before.replaceWith(entry)
  else list?.prepend(entry)
  while (list?.children.length > MOST_SETTLED) list.lastElementChild.remove()
}

function place(entry, before) {
  const list = document.getElementById(LISTS[entry.dataset.section])
  const checked = new Set([...(before?.querySelectorAll(":checked") ?? [])].map(({ value }) => value))
  const focused = before?.contains(document.activeElement) ? document.activeElement.closest(".request-row")?.id : null
  if (!list) return before?.remove()
  for (const box of entry.querySelectorAll(".request-row__check")) box.checked = checked.has(box.value)
  const after = isInUse() && !before ? null : [...list.children].find((each) => each !== before && each.dataset.place > entry.dataset.place)
  if (before?.parentElement === list && before.nextElementSibling === (after ?? null)) before.replaceWith(entry)
  else {
    before?.remove()
    list.insertBefore(entry, after ?? null)
  }
  if (isInUse() && !before) late.set(entry.id, entry)
  if (focused) document.querySelector(`#${CSS.escape(focused)} a`)?.focus({ preventScroll: true })
}

function tidy() {
  if (!late.size || isInUse()) return
  const entries = [...late.values()]
  late.clear()
  for (const entry of entries) place(entry, document.getElementById(entry.id))
  count()
  document.dispatchEvent(new Event("entries:changed"))
}

function count() {
  const number = document.getElementById("progress-count")
  if (number) number.textContent = document.querySelectorAll("#progress .request-row").length || ""
}

for (const type of ["pointerover", "focusin", "focusout"]) {
  document.addEventListener(type, () => late.size && requestAnimationFrame(tidy), { passive: true })
}
document.documentElement.addEventListener("pointerleave", () => late.size && requestAnimationFrame(tidy))
