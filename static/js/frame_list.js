// Three questions or more are one card and a list of all, as in the inbox; with fewer, each is a card. All cards stay in
// the page with what was typed into them, and those that are not chosen are hidden. The list stands below the card, and as
// long as the page does, so that nothing moves when questions come or go.

const LEAST = 3
const OPEN = "article, [data-state=waiting]"
const HEADING = "h2[tabindex]"
const WORDS = `${HEADING}, .outcome__line [lang]`
const FACTS = ".card__head :is(.card__label, .card__call), .outcome__line strong"
const COPIED = { ".card__tile": ".request-row__tile", ".card__when time": ".request-row__when" }
const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

const cards = document.getElementById("cards")
const list = document.getElementById("entries")
const next = document.getElementById("next-question")
const template = document.getElementById("entry")
const sheet = new CSSStyleSheet() // an attribute would go with the next update of a card
const rows = new Map() // by the id of their question

let chosen = "" // the id of the question whose card is shown

const idOf = ({ id }) => id.replace(/^(request|undo|outcome)-/, "")
const isOpen = (card) => card.matches(OPEN)
const isUsed = (card) => card.matches(":hover, :focus-within")
const all = () => [...cards.children]

function cardOf(id) {
  return all().find((card) => idOf(card) === id)
}

function update() {
  if (list.hidden && !begins()) return
  list.hidden = false
  const card = cardOf(chosen)
  const added = all().filter((each) => !rows.has(idOf(each)))
  for (const [id, row] of rows) if (!cardOf(id)) drop(id, row)
  for (const [at, each] of all().entries()) place(fill(rowOf(idOf(each)), each), at)
  if (!card) choose(all().find(isUsed) ?? all().find(isOpen) ?? all()[0])
  // A settled question that was left makes room for one that comes.
  else if (!isOpen(card) && !isUsed(card)) choose(added.find(isOpen) ?? card)
  else mark()
}

// Not while the person is in a card that would move.
function begins() {
  const used = all().find(isUsed)
  return all().filter(isOpen).length >= LEAST && (!used || used === all()[0])
}

function choose(card) {
  chosen = card ? idOf(card) : ""
  const shown = ["request", "undo", "outcome"].map((kind) => `#${kind}-${CSS.escape(chosen)}`)
  sheet.replaceSync(`#cards > :not(${shown}) { display: none }`)
  mark()
}

// The rows, in the words of their cards.

function rowOf(id) {
  if (!rows.has(id)) {
    const row = template.content.firstElementChild.cloneNode(true)
    row.firstElementChild.dataset.entry = id
    rows.set(id, row)
  }
  return rows.get(id)
}

function drop(id, row) {
  rows.delete(id)
  row.remove()
}

function place(row, at) {
  if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null)
}

function fill(row, card) {
  const words = card.querySelector(WORDS)?.textContent
  const [text, about] = row.querySelectorAll(".request-row__text, .request-row__about")
  if (words && text.textContent !== words) text.textContent = words
  for (const [source, place] of Object.entries(COPIED)) copy(card.querySelector(source), row.querySelector(place))
  const facts = [...card.querySelectorAll(FACTS)].map(({ textContent }) => part("bdi", textContent))
  const alarm = card.querySelector(".card__alarm > strong")
  if (alarm) facts.unshift(alarm.cloneNode(true))
  const deadline = card.querySelector(".card__deadline")
  if (deadline?.textContent) facts.push(part("strong", ...deadline.cloneNode(true).childNodes))
  // A click is lost if what is pressed is replaced before the button is released.
  const isStale = about.textContent !== facts.map(({ textContent }) => textContent).join("")
  if (isStale && !row.matches(":active")) about.replaceChildren(...facts)
  row.dataset.state = isOpen(card) ? "pending" : "settled"
  return row
}

// Once: these stay as they are, and an outcome has none of them.
function copy(found, place) {
  if (found && !place.hasChildNodes()) place.append(found.cloneNode(true))
}

function part(name, ...content) {
  const element = document.createElement(name)
  element.append(...content)
  return element
}

function mark() {
  for (const [id, row] of rows) {
    if (id === chosen) row.firstElementChild.setAttribute("aria-current", "true")
    else row.firstElementChild.removeAttribute("aria-current")
  }
  const card = cardOf(chosen)
  next.hidden = list.hidden || !card || isOpen(card) || !all().some(isOpen)
}

// The person chooses.

function show(card, focuses) {
  choose(card)
  reveal(rows.get(chosen))
  card.firstElementChild.scrollIntoView({ block: "nearest" })
  if (focuses) (card.querySelector(HEADING) ?? card).focus({ preventScroll: true })
}

// In the list alone: the page around the frame stays where it is.
function reveal(row) {
  const { top, bottom } = list.getBoundingClientRect()
  const at = row.getBoundingClientRect()
  list.scrollTop += Math.min(0, at.top - top) + Math.max(0, at.bottom - bottom)
}

function nextOf(id) {
  const cards = all()
  const at = cards.findIndex((card) => idOf(card) === id)
  return [...cards.slice(at + 1), ...cards].find(isOpen)
}

list.addEventListener("click", ({ target, detail }) => {
  const id = target.closest("[data-entry]")?.dataset.entry
  if (id) show(cardOf(id), detail === 0) // by a key
})

list.addEventListener("keydown", (event) => {
  const step = STEPS[event.key]
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  const buttons = [...list.querySelectorAll("button")]
  buttons[buttons.indexOf(document.activeElement) + step]?.focus()
})

next.firstElementChild.addEventListener("click", () => show(nextOf(chosen), true))

// The page around asks for one question, or for the first thing to do. Before frame_news.js, which moves the focus.
document.addEventListener("frame:focus", ({ detail }) => {
  const card = cardOf(chosen)
  const wanted = (detail && cardOf(detail)) || (card && !isOpen(card) && nextOf(chosen))
  if (list.hidden || !wanted) return
  choose(wanted)
  reveal(rows.get(chosen))
})

document.adoptedStyleSheets.push(sheet)
for (const type of ["pointerleave", "focusout"]) cards.addEventListener(type, () => list.hidden && requestAnimationFrame(update))
new MutationObserver(update).observe(cards, { attributeFilter: ["data-state"], childList: true, subtree: true })
update()
