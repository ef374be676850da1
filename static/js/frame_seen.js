// What a person has seen of each card, and which of its buttons lie still: learned from samples of what is in sight.

const ARM_MS = 500 // how long a part of a card or a button has to be in sight, uncovered and at its place, to count
const MARGIN = 1 // pixels that a button may move
const WORDS = ".card__from, .card__about, h2, .quote, .url__text"

export const BUTTONS = "button:not([type=button])"

const views = new WeakMap() // of each card: what has been in sight
const places = new WeakMap() // of each button that is in the window: where, and since when
let begun = 0 // what was in sight before counts no more, unless it was in sight for long enough
let freeSince = 0 // since when nothing has been over the frame

/** Notes whether anything is over the frame. */
export function noteCover(isCovered) {
  if (isCovered) freeSince = Infinity
  else freeSince = Math.min(freeSince, performance.now())
}

/** Returns whether nothing has been over the frame for long enough. */
export function isUncovered() {
  return performance.now() - Math.max(freeSince, begun) >= ARM_MS
}

/** Notes what of a card is in the window, and in sight if nothing covers it: parts of the page, or null. */
export function look(card, shown, sight) {
  const { top, height, left, right } = card.getBoundingClientRect()
  if (!height) return forget(card)
  const view = viewOf(card)
  const { paddingLeft, paddingTop, paddingBottom } = getComputedStyle(card)
  const inner = { left: left + parseFloat(paddingLeft), right: right - parseFloat(paddingLeft) }
  const [from, to] = sight ? [Math.max(0, sight.top - top), Math.min(height, sight.bottom - top)] : [0, 0]
  if (to <= from || isBeside(inner, sight)) view.samples.length = 0
  else extend(view, from, to)
  view.isWhole ||= view.from <= parseFloat(paddingTop) && view.to >= height - parseFloat(paddingBottom)
  for (const button of card.querySelectorAll(BUTTONS)) place(button, shown)
}

/** Returns whether all of a card has been in sight, at once or in turn. */
export function isSeen(card) {
  return Boolean(views.get(card)?.isWhole)
}

/** Returns whether a button has been in the window at its place for long enough, under a cover or not. */
export function isStill(button) {
  const known = places.get(button)
  return Boolean(known) && performance.now() - Math.max(known.since, begun) >= ARM_MS && !hasMoved(known, placeOf(button))
}

/** Returns whether a card has buttons in sight, all of which count. */
export function isArmed(card) {
  const shown = [...card.querySelectorAll(BUTTONS)].filter((button) => places.has(button))
  return shown.length > 0 && isUncovered() && shown.every(isStill)
}

/** Begins the half second of everything again. */
export function startOver() {
  begun = performance.now()
}

// A card that is hidden (frame_list.js). What was seen of it before stays seen.
function forget(card) {
  views.get(card)?.samples.splice(0)
  for (const button of card.querySelectorAll(BUTTONS)) places.delete(button)
}

// The words are those of one question for good. If they change, or are laid out again, nothing was seen.
function viewOf(card) {
  const text = [...card.querySelectorAll(WORDS)].map((each) => each.textContent).join()
  const known = views.get(card)
  if (known?.text === text && known.width === innerWidth) return known
  const view = { text, width: innerWidth, from: 0, to: 0, samples: [], isWhole: false }
  views.set(card, view)
  return view
}

// What was in sight in each sample of the last half second has been seen. It counts if it touches what was seen before.
function extend(view, from, to) {
  const now = performance.now()
  view.samples = view.samples.filter((each) => each.now >= begun)
  view.samples.push({ now, from, to })
  while (view.samples.length > 1 && view.samples[1].now <= now - ARM_MS) view.samples.shift()
  if (view.samples[0].now > now - ARM_MS) return
  from = Math.max(...view.samples.map((each) => each.from))
  to = Math.min(...view.samples.map((each) => each.to))
  if (to <= from) return
  const touches = from <= view.to && to >= view.from
  view.from = touches ? Math.min(from, view.from) : from
  view.to = touches ? Math.max(to, view.to) : to
}

// What a button answers may stand above it, and has to be in sight with it.
function place(button, shown) {
  const { top, bottom, left, right, width } = button.getBoundingClientRect()
  const above = button.closest(".answers")?.previousElementSibling
  const first = above?.matches(".card__recap") ? above.getBoundingClientRect().top : top
  const isShown = shown && width && first >= shown.top - MARGIN && bottom <= shown.bottom + MARGIN && !isBeside({ left, right }, shown)
  const here = placeOf(button)
  if (!isShown) places.delete(button)
  else if (!places.has(button) || hasMoved(places.get(button), here)) places.set(button, { ...here, since: performance.now() })
}

// A person who scrolls moves no button.
function placeOf(button) {
  const { top, left } = button.getBoundingClientRect()
  return { top: top + scrollY, left: left + scrollX }
}

function hasMoved(before, now) {
  return Math.abs(before.top - now.top) > MARGIN || Math.abs(before.left - now.left) > MARGIN
}

// What does not fit into the width of the window is not in sight.
function isBeside({ left, right }, sight) {
  return left < sight.left - MARGIN || right > sight.right + MARGIN
}
