// One cursor: the row with the ring is the open card. A step opens the row that it comes to, a key that acts waits for the
// card of its row, and what is pushed never moves the ring. A row that left the list leaves the cursor at its place.

import { isBesideList, openRow, shownId } from "./detail.js"

const PAUSE_MS = 150
const PRESSES = new Set(["Enter", " "]) // any other key is for something else than what waits
const ROWS = ".request-row__link, .inbox__alike, .entry-row, a.row"

let wanted = null // what is on its way to the pane: the `id` of a row, if it is known, and whether it was asked for
let timer = 0
let awaiting = null // what a key does once that is here
let place = { id: "", list: "", order: [], at: -1 } // of the cursor's row, when it was last in its list

const rowOf = (id) => document.getElementById(`row-${id}`)
const idOf = (link) => link.closest(".request-row")?.id.replace("row-", "")
const listOf = (link) => link.closest(".inbox__list")?.id
const isGone = (link) => link.closest(".request-row")?.dataset.state === "gone"
const allRows = () => [...document.querySelectorAll(ROWS)].filter(isSeen)
const ringed = () => document.activeElement?.closest(".request-row")?.querySelector(ROWS) ?? document.activeElement?.closest(ROWS)
const cursorId = () => (wanted ? wanted.id : shownId())

export const isSeen = (element) => element?.checkVisibility({ visibilityProperty: true })
export const isAwaiting = () => awaiting !== null
export const isOnItsWay = () => wanted !== null

export function goTo(element) {
  element?.focus()
  element?.scrollIntoView({ block: "nearest" })
  return Boolean(element)
}

// The row that keys act on: that with the focus, or else that of the open card.
export function cursorRow() {
  return ringed()?.closest(".request-row") ?? rowOf(cursorId())
}

export function step(by) {
  const link = beside(by)
  if (!goTo(link)) return false
  if (idOf(link) && isBesideList()) follow(link, PAUSE_MS)
  return true
}

// Calls `act` with the card under the cursor, now or when it comes; never with another.
export function onCard(act) {
  const link = ringed()
  if (link && idOf(link) && isBesideList() && idOf(link) !== shownId()) follow(link, 0)
  if (!wanted) return actOn(act)
  awaiting = act
  return true
}

function actOn(act) {
  const here = document.activeElement?.closest("article.card")
  const card = here ?? [...document.querySelectorAll("#cards article.card")].find(isSeen)
  return Boolean(card) && act(card)
}

// The row to go to, from the row with the ring, or from the place of the cursor.

function beside(by) {
  const rows = allRows()
  const at = rows.indexOf(ringed() ?? rows.find((row) => row.hasAttribute("aria-current") && !hasLeft(row)))
  const [before, after] = at < 0 ? around(rows) : [rows.slice(0, at), rows.slice(at + 1)]
  const next = by > 0 ? after.find((row) => !isGone(row)) : before.findLast((row) => !isGone(row))
  // The row of an answered question leaves its list a moment after the card has.
  const isLeaving = at < 0 || (!ringed() && document.querySelector("#detail [id^=outcome-]"))
  return next ?? (isLeaving ? rows.filter((row) => !isGone(row) && idOf(row) !== cursorId()).at(by > 0 ? -1 : 0) : null)
}

function hasLeft(row) {
  return idOf(row) === place.id && listOf(row) !== place.list
}

// The rows before and after that which left.
function around(rows) {
  if (place.at < 0) return [rows, rows]
  const others = rows.filter((row) => !hasLeft(row))
  const isAfter = new Set(place.order.slice(place.at + 1))
  const isBefore = new Set(place.order.slice(0, place.at))
  const next = others.findIndex((row) => isAfter.has(idOf(row)))
  const at = next < 0 ? others.findLastIndex((row) => isBefore.has(idOf(row))) + 1 : next
  return [others.slice(0, at), others.slice(at)]
}

function remember() {
  const rows = allRows()
  const at = rows.findIndex((row) => idOf(row) === cursorId())
  if (at >= 0 && !hasLeft(rows[at])) place = { id: cursorId(), list: listOf(rows[at]), order: rows.map(idOf), at }
}

// The card of the cursor's row. Until it is there no other one takes keys or clicks.

function follow(link, pause) {
  clearTimeout(timer)
  awaiting = null
  if (idOf(link) === shownId() && !wanted?.isAsked) return settle()
  document.getElementById("detail").inert = true
  wanted = { id: idOf(link), isAsked: wanted?.isAsked }
  timer = setTimeout(openRow, pause, link, { isOneOfMany: true })
  look()
}

// Keys wait for the card that an answer brings, whichever it is.
export function expectCard() {
  clearTimeout(timer)
  wanted = { id: shownId(), isAsked: true, isNext: true }
  return wanted
}

export const isExpected = (own) => wanted === own

async function awaitRow({ detail: { link, answer } }) {
  clearTimeout(timer)
  const own = { id: idOf(link), isAsked: true }
  if (!own.id || own.id !== wanted?.id) awaiting = null
  wanted = own
  document.getElementById("detail").inert = Boolean(own.id) && own.id !== shownId()
  look()
  await answer.catch(() => {})
  // It could not be loaded: the next key asks for it again.
  if (wanted === own) settle()
}

function arrived() {
  if (wanted?.id && !wanted.isNext && wanted.id !== shownId()) return
  const act = awaiting
  settle()
  if (act) actOn(act)
}

export function settle() {
  clearTimeout(timer)
  wanted = awaiting = null
  const pane = document.getElementById("detail")
  if (pane) pane.inert = false
  look()
}

function look() {
  const link = rowOf(cursorId())?.querySelector(ROWS)
  for (const other of document.querySelectorAll(".request-row__link[aria-current]")) if (other !== link) other.removeAttribute("aria-current")
  link?.setAttribute("aria-current", "true")
  remember()
}

// `scrollIntoView` would have Chromium go on from the row with Tab, past the link that leads to the question.
function center(row) {
  const top = (element) => element.getBoundingClientRect().top
  for (const list of document.querySelectorAll(".inbox, .inbox__form")) list.scrollTop += top(row) - top(list) - list.clientHeight / 2
}

function begin() {
  settle()
  const row = rowOf(shownId())
  if (row && document.querySelector(".detail--opened")) center(row)
}

document.addEventListener("detail:asked", awaitRow)
document.addEventListener("detail:shown", arrived)
document.addEventListener("entries:changed", look)
document.addEventListener("htmx:after:swap", look)
document.addEventListener("pointerdown", () => (awaiting = null), { capture: true })
document.addEventListener("keydown", ({ key }) => !PRESSES.has(key) && (awaiting = null), { capture: true })
document.addEventListener("page:shown", begin)
begin()
