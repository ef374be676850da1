// A page around the frame can lay something over a card, show a part of it only, or move the frame under a click that was meant
// for something else. So a button counts only if it has been in the window, at its place, for half a second. A button that does
// more than decline one question has to be uncovered as well; and what accepts counts only if all of the card has been in sight
// so, at once or in turn. A button that does not count says why, below it.

import { noticesCovers, watchSight } from "./frame_sight.js"
import { BUTTONS, isArmed, isSeen, isStill, isUncovered, look, noteCover, startOver } from "./frame_seen.js"

const STAYS_MS = 1000 // how long a cover is there at rest before it counts as one that the element cannot cure
const REPORT_MS = 1500 // the same before the page around hears of it
const TURN_MS = STAYS_MS + 200 // in which such a cover is noticed
const CARDS = "#cards > article, #sign-ins > article"

// To decline is never harder than to accept, and under a cover it is easier: who has it pressed unseen gets the same from the
// server by not showing the question at all.
const DECLINES = ["decline", "cancel", "dismiss"]
const NEEDS_LITTLE = [...DECLINES, "mute"] // which need not have been in sight as a whole

const reported = new Set() // the ids of the cards of which the page has heard that they are covered
const refusal = document.getElementById("refusal")

let coveredSince = 0 // when the cover that is over the frame now was first noticed, or 0
let rest = null // which part of the frame is in the window, and since when
let touched = null // what the person has just pressed or focused

const cards = () => [...document.querySelectorAll(CARDS)]

function post(message) {
  document.dispatchEvent(new CustomEvent("frame:post", { detail: message }))
}

function take({ shown, isCovered, sight }) {
  noteCover(isCovered)
  if (rest?.top !== shown?.top || rest?.bottom !== shown?.bottom) rest = shown && { top: shown.top, bottom: shown.bottom, since: performance.now() }
  for (const card of cards()) {
    look(card, shown, sight)
    if (shown && card.offsetHeight > shown.height && overlaps(card, shown)) recapitulate(card)
    tell(card)
  }
  if (!isCovered) coveredSince = 0
  else report(shown)
}

// What tests and tools can read of a card.
function tell(card) {
  card.toggleAttribute("data-seen", isSeen(card))
  card.toggleAttribute("data-armed", isArmed(card))
}

function overlaps(card, { top, bottom }) {
  const rect = card.getBoundingClientRect()
  return rect.bottom > top && rect.top < bottom
}

function report(shown) {
  coveredSince ||= performance.now()
  if (touched && staysCovered(STAYS_MS)) raise(touched)
  const under = cards().filter((card) => overlaps(card, shown))
  if (under.length) post({ type: "cover" }) // the element can bring the frame to the front
  if (!staysCovered(REPORT_MS)) return
  const news = under.filter((card) => !reported.has(card.id))
  for (const { id } of news) reported.add(id)
  if (news.length) post({ type: "covered" })
}

// Right after a scroll the frame is under the bars of the page, until the element has brought it to the front.
function staysCovered(ms) {
  return coveredSince && rest && performance.now() - Math.max(coveredSince, rest.since) >= ms
}

// Above the buttons of a card that is longer than the window stands what they answer.
function recapitulate(card) {
  const place = card.querySelector(".answers")
  if (!place || card.querySelector(".card__recap")) return
  const recap = document.createElement("p")
  recap.className = "card__recap"
  recap.ariaHidden = "true"
  recap.append(card.querySelector("h2")?.textContent ?? "", " ", card.querySelector(".card__label")?.textContent ?? "")
  place.before(recap)
}

// The element lifts the frame above what covers it, or what it is cut by. It may have another height there.
function raise(target, type = "raise") {
  post({ type })
  const options = { once: true, signal: AbortSignal.timeout(1000) }
  addEventListener("resize", () => show(target), options)
}

// With a notice what its buttons answer stays in sight, or the next press would be refused as well.
function show(target) {
  target.scrollIntoView({ block: "nearest" })
  if (target.matches(".refusal")) target.closest(CARDS)?.querySelector(".card__recap")?.scrollIntoView({ block: "nearest" })
}

function why(card, button) {
  const mayBeCovered = DECLINES.includes(button?.value)
  if (staysCovered(STAYS_MS) && !mayBeCovered) return "covered"
  if (!button || !isStill(button) || !(mayBeCovered || isUncovered())) return "moved"
  return NEEDS_LITTLE.includes(button.value) || isSeen(card) ? "" : "unseen"
}

function refuse(card, button, reason) {
  card.querySelector(".refusal")?.remove()
  const notice = refusal.content.firstElementChild.cloneNode(true)
  notice.querySelector("p").textContent = notice.dataset[reason]
  notice.querySelector("[data-show]").hidden = reason !== "unseen"
  const place = button?.closest(".card__foot, .buttons") ?? card.lastElementChild
  place.after(notice) // below, so that the button stays where it is
  show(notice)
  post({ type: "error", code: "not-visible" })
  if (reason === "covered") raise(notice)
}

// Before any other script hears of it: every answer goes out by a form.
addEventListener(
  "submit",
  (event) => {
    const form = event.target
    const card = form.closest?.(CARDS)
    if (!card) return
    const button = event.submitter ?? form.querySelector(BUTTONS)
    const reason = why(card, button)
    if (!reason) return card.querySelector(".refusal")?.remove()
    event.preventDefault()
    event.stopImmediatePropagation()
    refuse(card, button, reason)
  },
  true,
)

function touch(target) {
  if (!noticesCovers || !target) return
  touched = target
  if (staysCovered(STAYS_MS)) raise(target)
  else if (isCut(document.activeElement)) raise(document.activeElement, "cut")
  setTimeout(() => (touched = null), TURN_MS)
}

function isCut(target) {
  const { top, bottom } = target.getBoundingClientRect()
  return rest && (top < rest.top - 1 || bottom > rest.bottom + 1)
}

// Not when a pointer goes down: the frame would move before it comes up. A button is refused first.
for (const type of ["click", "keyup"]) {
  addEventListener(type, ({ target }) => target.closest?.(CARDS) && !target.closest(BUTTONS) && touch(target), true)
}

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-show]")) target.closest(CARDS).querySelector("h2").scrollIntoView({ block: "center" })
})

// The half second begins again when the frame comes back into sight, and when the page around it has it scroll to a card.
function beginAgain() {
  startOver()
  cards().forEach(tell)
}

document.addEventListener("visibilitychange", beginAgain)

// Also when the page moves the frame under a pointer that rests on the screen.
let pointer = null
for (const type of ["pointermove", "pointerdown"]) {
  addEventListener(
    type,
    ({ screenX, screenY, clientX, clientY }) => {
      const rests = pointer && isNear(pointer.screenX - screenX, pointer.screenY - screenY)
      if (rests && !isNear(pointer.clientX - clientX, pointer.clientY - clientY)) beginAgain()
      pointer = { screenX, screenY, clientX, clientY }
    },
    true,
  )
}

function isNear(across, down) {
  return Math.max(Math.abs(across), Math.abs(down)) <= 2
}

document.addEventListener("frame:focus", () => {
  beginAgain()
  touch(cards().find((card) => card.checkVisibility()))
})

// Nothing is watched while nothing waits.
function watch() {
  if (!cards().length) coveredSince = 0
  watchSight(() => cards().length > 0, take)
}

for (const list of document.querySelectorAll("#cards, #sign-ins")) new MutationObserver(watch).observe(list, { childList: true })
watch()
