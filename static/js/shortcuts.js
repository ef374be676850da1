// Keyboard shortcuts: through lists, to the answers of a question, to other pages. `webclient/web/http/shortcuts.py` lists them.
// No shortcut answers a question but Ctrl+Enter, from within its form. A key does nothing to a button that takes no clicks
// yet, so that the second one of two never answers the question that has come to the place of the first.

import { cursorRow, goTo, isAwaiting, isOnItsWay, isSeen, onCard, step } from "./cursor.js"
import { home } from "./home.js"
import { sayNotReady } from "./not_ready.js"

const HOLD_MS = 700
const PREFIX_MS = 1500
const OFF = "shortcuts-off"
const FIELDS = "input:not([type=hidden]), select, textarea"
const ANSWERS = ".card button[name=action], .card button[name=stop], .outcome button"
const SEND = "button[name=action][value=accept]"
const ARROWS = { ArrowDown: 1, ArrowUp: -1 }
const PAGES = { i: "", c: "calls", h: "history", s: "servers" } // below `home`

let prefixedAt = -Infinity
let stopped = null // the button on whose account the key that is down was stopped
let isEarly = false // Enter was pressed before the card of its question had come
let moved = { to: null, at: -Infinity } // where Enter moved the focus, and when

const isOff = () => localStorage.getItem(OFF) !== null
const isTyping = (element) => element.closest?.("select, textarea, [contenteditable], input:not(.request-row__check)")

// Cards.

function fieldsOf(article) {
  return [...article.querySelectorAll(FIELDS)].filter((field) => isSeen(field) && !field.closest(".card__more"))
}

const approve = () => onAnswer((article) => !fieldsOf(article).length && article.querySelector(SEND))
const decline = () => onAnswer((article) => article.querySelector("button[name=action][value=decline]"))

function onAnswer(find) {
  isEarly = false
  return onCard((article) => {
    if (isEarly) sayNotReady(article)
    return goTo(find(article) || null)
  })
}

function enter(heading) {
  const article = heading.closest("article.card")
  const to = fieldsOf(article)[0] ?? article.querySelector(".button--primary") ?? article.querySelector(SEND)
  moved = { to, at: performance.now() }
  return goTo(to)
}

// From the outcome to the question after it; its link is hidden if no other one waits.
function goOn() {
  const link = document.querySelector("#detail .detail__next a")
  if (isOnItsWay()) return true
  if (!isSeen(link)) return false
  link.click()
  return true
}

// Undoes the last answer, that of the question in the pane or that above it.
function undo() {
  const button = [...document.querySelectorAll("#detail form[action$='/undo'] button, #flash form[action$='/undo'] button")].find(isSeen)
  button?.click()
  return Boolean(button)
}

function send(article) {
  const button = article.querySelector(SEND)
  if (!button || isInert(button)) return Boolean(button)
  // A button that is not the recommended one is pressed by itself only.
  if (button.matches(".button--primary")) button.click()
  return goTo(button)
}

// Lists.

function select() {
  const box = cursorRow()?.querySelector(".request-row__check")
  box?.click()
  return Boolean(box)
}

function search() {
  const field = [...document.querySelectorAll("main input[type=search]")].find(isSeen)
  field?.select()
  return goTo(field)
}

// Pages, and the list of shortcuts.

function open(path) {
  const link = document.querySelector(`nav a[href="${home}${path}"]`)
  link?.click()
  return Boolean(link)
}

function help() {
  const dialog = document.getElementById("shortcuts")
  show()
  dialog?.showModal()
  return Boolean(dialog)
}

function show() {
  const box = document.getElementById("single-key-shortcuts")
  if (!box) return
  document.getElementById("show-shortcuts").hidden = false
  box.checked = !isOff()
  document.getElementById("single-keys").classList.toggle("is-off", isOff())
}

// Keys.

const KEYS = { j: () => step(1), k: () => step(-1), x: select, a: approve, d: decline, z: undo, "/": search, "?": help }

function prefix() {
  prefixedAt = performance.now()
  return true
}

function single({ key, timeStamp }) {
  const isPrefixed = timeStamp - prefixedAt < PREFIX_MS
  prefixedAt = -Infinity
  if (isPrefixed && Object.hasOwn(PAGES, key)) return open(PAGES[key])
  if (key === "g") return prefix()
  return Object.hasOwn(KEYS, key) && KEYS[key]()
}

function acted(event) {
  const { key, target } = event
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    const article = target.closest("article.card")
    return article && !event.repeat && send(article)
  }
  const isStep = "jk".includes(key) || Object.hasOwn(ARROWS, key)
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !isStep) return false
  if (Object.hasOwn(ARROWS, key)) return !event.shiftKey && target.closest(".request-row") && step(ARROWS[key])
  if (key === "Enter" && target.matches("#detail :is([id^=outcome-], [id^=undo-])")) return !event.repeat && goOn()
  if (key === "Enter") return target.matches("article.card h2[tabindex]") && enter(target)
  if (isOff() || isTyping(target) || document.querySelector("dialog[open]")) return false
  return single(event)
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || !event.target.closest) return
  if (acted(event)) event.preventDefault()
})

// A button that takes no clicks, because it has just come, takes no keys either, nor does it answer Enter in a field.

function isInert(button) {
  const isFresh = moved.to === button && performance.now() - moved.at < HOLD_MS
  return isFresh || getComputedStyle(button).pointerEvents === "none"
}

function pressed({ target, key }) {
  const button = target.closest?.(ANSWERS)
  if (button) return button
  const sends = key === "Enter" && target.matches?.("article.card form :is(input, select)")
  return sends ? target.form?.querySelector(SEND) : null
}

function stop(event) {
  event.preventDefault()
  event.stopPropagation()
}

document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" && event.key !== " ") return
    // What it was to press has not come yet.
    if (isAwaiting()) {
      isEarly = true
      return stop(event)
    }
    const button = pressed(event)
    // A key that stays down is one key, and has done what it was pressed for.
    if (!button || !(event.repeat || isInert(button))) return
    stopped = event.key === " " ? event.target : null
    stop(event)
    if (!event.repeat) sayNotReady(button.closest(".card"))
  },
  { capture: true },
)

// Space presses a button when it comes up.
document.addEventListener(
  "keyup",
  (event) => {
    if (event.key === " " && stopped === event.target) stop(event)
    stopped = null
  },
  { capture: true },
)

document.addEventListener("click", ({ target }) => target.closest?.("#show-shortcuts") && help())
document.addEventListener("change", ({ target }) => {
  if (target.id !== "single-key-shortcuts") return
  if (target.checked) localStorage.removeItem(OFF)
  else localStorage.setItem(OFF, "")
  show()
})
document.addEventListener("page:shown", show)
show()
