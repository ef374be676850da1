// A second click must not answer another question: a settled card keeps its place until pointer and focus have left it,
// what is under the pointer stays there when cards around it change, and a card that moved takes no clicks for a moment.
// That a card takes none just after it appeared is in card.css, so that it holds before this script runs.

const INERT_MS = 700
const FRAME_MS = 1500 // for which the place of a settled card is kept in a frame or the demo, where the pointer may stay for long
const MARGIN = 24
const CARDS = "#cards > *"
const PENDING = /^(request|undo)-/ // the ids of questions that are not settled
const CONTROLS = "button[name=action], button[name=step], button[name=stop], .waiting button, .start-over button"

let cards = null // the list of them, if the page has one
const places = new Map() // of each card, by id: where it was last seen in the window
const reserved = new Map() // the height of each settled card that keeps its place, and where in it the text begins, by id
const inert = new Map() // the timer of each card that has moved, by id
const sheet = new CSSStyleSheet() // an attribute would go with the next update of a card

let pointer = null
let under = null

function pointed() {
  return pointer && document.elementFromPoint(pointer.x, pointer.y)
}

function pointedCard() {
  return pointed()?.closest(CARDS)
}

function children() {
  return [...(cards?.children ?? [])]
}

function remember() {
  places.clear()
  for (const card of children()) places.set(card.id, card.getBoundingClientRect())
  under = pointedCard()
}

function applyStyles() {
  const rules = [...reserved].map(
    ([id, { height, start }]) =>
      `#${CSS.escape(id)}{min-block-size:${height}px;padding-block-start:${start}px}`,
  )
  const ids = [...inert.keys()].map((id) => `#${CSS.escape(id)}`)
  // Not the button that is pressed: it took clicks before, and gets this one only if the pointer is still over it.
  if (ids.length) rules.push(`:is(${ids}) :is(${CONTROLS}):not(:active){pointer-events:none}`)
  sheet.replaceSync(rules.join(""))
}

function makeInert(moved) {
  for (const { id } of moved) {
    clearTimeout(inert.get(id))
    inert.set(id, setTimeout(takeClicks, INERT_MS, id))
  }
  if (moved.length) applyStyles()
}

function takeClicks(id) {
  inert.delete(id)
  applyStyles()
}

function check() {
  const moved = children().filter((card) => {
    const before = places.get(card.id)
    return before && Math.abs(before.top - card.getBoundingClientRect().top) >= 1
  })
  remember()
  makeInert(moved)
}

// The place of a settled card.

function keepPlace(id) {
  const request = id.replace(PENDING, "")
  const outcome = document.getElementById(`undo-${request}`) ?? document.getElementById(`outcome-${request}`)
  if (!outcome) return
  const { top, height } = places.get(id)
  // Before anything is measured: a page that is shorter for a moment would be scrolled.
  reserved.set(outcome.id, { height, start: 0 })
  applyStyles()
  // Of a card whose top is out of sight, the text begins where the window does.
  const text = outcome.lastElementChild.getBoundingClientRect().bottom - outcome.getBoundingClientRect().top
  reserved.set(outcome.id, { height, start: Math.max(0, Math.min(-top, height - text - MARGIN)) })
  applyStyles()
  // Not before the focus has moved on from the buttons that are gone.
  requestAnimationFrame(giveUpPlaces)
  // A card that comes under the pointer then takes no clicks for a moment, as its buttons have moved.
  if (outcome.closest("#panel, #guide")) setTimeout(giveUpPlaces, FRAME_MS, outcome.id)
}

function giveUpPlaces(late) {
  for (const id of [...reserved.keys()]) {
    const outcome = document.getElementById(id)
    if (!outcome) reserved.delete(id)
    else if (isLeft(outcome) || (id === late && !pointed()?.closest("#scene-next"))) giveUpPlace(id)
  }
}

function isLeft(outcome) {
  // The link to the next question or scene is below an outcome, and must not move away from the pointer.
  const place = outcome.closest(".detail__card, .scene") ?? outcome
  return !place.contains(pointed()) && !outcome.contains(document.activeElement)
}

function giveUpPlace(id) {
  const before = reserved.get(id)
  const anchor = pointedCard() ?? pointed()?.closest("a, button") ?? document.activeElement?.closest("body *")
  const top = anchor?.getBoundingClientRect().top
  const moved = () => anchor?.getBoundingClientRect().top - top || 0
  const stay = () => scrollBy({ top: Math.round(moved()), behavior: "instant" }) // Chromium would round down
  reserved.delete(id)
  applyStyles()
  stay()
  // A click would miss it.
  if (Math.abs(moved()) >= 1) reserved.set(id, before)
  applyStyles()
  stay()
  check()
}

// What may move a card, or bring another one under the pointer.

function scrolled() {
  const before = under
  remember()
  if (under && under !== before) makeInert([under])
  giveUpPlaces()
}

function pointerMoved({ clientX: x, clientY: y }) {
  if (pointer?.x === x && pointer?.y === y) return
  pointer = { x, y }
  under = pointedCard()
  if (reserved.size) giveUpPlaces()
}

function appeared() {
  if (!document.hidden) makeInert(children())
}

const sizes = new ResizeObserver(check)
const list = new MutationObserver((changes) => {
  for (const { addedNodes, removedNodes } of changes) {
    for (const node of addedNodes) if (node.id) sizes.observe(node)
    for (const { id } of removedNodes) if (PENDING.test(id) && places.has(id)) keepPlace(id)
  }
  check()
})

function begin() {
  cards = document.getElementById("cards")
  sizes.disconnect()
  list.disconnect()
  reserved.clear()
  remember()
  if (!cards) return
  for (const each of [document.body, ...children()]) sizes.observe(each)
  list.observe(cards, { childList: true })
}

document.adoptedStyleSheets.push(sheet)
addEventListener("scroll", scrolled, { passive: true })
for (const type of ["pointermove", "pointerdown"]) addEventListener(type, pointerMoved, { passive: true, capture: true })
document.addEventListener("focusin", () => reserved.size && requestAnimationFrame(giveUpPlaces))
document.addEventListener("visibilitychange", appeared)
addEventListener("pageshow", ({ persisted }) => persisted && appeared())
for (const type of ["page:shown", "detail:shown"]) document.addEventListener(type, begin)
begin()
