// Tells the page around the frame how many questions wait and how they end, and never what they are; and its height. Opens
// in a tab what has no place in a frame.

const ACTIONS = { accepted: "accept", completed: "accept", waiting: "accept", declined: "decline", cancelled: "cancel" }

// Questions, wanted sign-ins, and opened links until the person says "I'm done".
const WAITING = ".cards > [id^=request-], #cards > [data-state=waiting]"

const cards = document.getElementById("cards")
const panel = document.getElementById("panel")
const calls = document.getElementById("changed-calls")
const waiting = new Set()

let count = -1
let height = 0

function post(message) {
  document.dispatchEvent(new CustomEvent("frame:post", { detail: message }))
}

function tell() {
  for (const { id } of cards.querySelectorAll(":scope > [id^=request-]")) waiting.add(id.slice("request-".length))
  for (const { id, dataset } of cards.querySelectorAll(":scope > [id^=outcome-]")) {
    const request = id.slice("outcome-".length)
    if (waiting.delete(request)) post({ type: "settled", id: request, action: ACTIONS[dataset.state] ?? dataset.state })
  }
  const now = panel.querySelectorAll(WAITING).length
  if (now !== count) post({ type: "pending", count: (count = now) })
}

for (const list of panel.querySelectorAll(".cards")) new MutationObserver(tell).observe(list, { attributeFilter: ["data-state"], childList: true, subtree: true })
new MutationObserver(() => {
  for (const { dataset } of calls.children) post({ type: "call", id: dataset.call, state: dataset.state })
}).observe(calls, { childList: true })

// Chromium drops a press during which the frame gets another size, so it gets it afterwards.
const LONGEST_PRESS_MS = 2000 // without an end, as when a menu of the browser opens

let pressed = 0

function fit() {
  const now = Math.ceil(panel.getBoundingClientRect().height)
  if (!pressed && Math.abs(now - height) >= 2) post({ type: "size", height: (height = now) })
}

function release() {
  clearTimeout(pressed)
  pressed = 0
  fit()
}

new ResizeObserver(fit).observe(panel)
addEventListener("pointerdown", () => {
  clearTimeout(pressed)
  pressed = setTimeout(release, LONGEST_PRESS_MS)
}, true)
// The click of a finger comes a moment after it.
for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => setTimeout(release, 50), true)

// The focus comes in from the page around, and Escape gives it back: out of a field and of a menu first (escape_key.js).

// In Firefox nothing in a frame has the focus until the frame is shown, which is a moment after the panel was opened. In
// WebKit nothing has it until the person has used the frame, as by the Escape that closes the panel.
let trying = 0

function reach(heading, options, tries = 20) {
  clearTimeout(trying)
  heading.focus(options)
  if (document.activeElement === document.body && tries) trying = setTimeout(reach, 50, heading, options, tries - 1)
}

addEventListener("blur", () => clearTimeout(trying))

document.addEventListener("frame:focus", ({ detail }) => {
  const card = detail && document.getElementById(`request-${detail}`)
  const first = [...panel.querySelectorAll(".cards > article")].find((each) => each.checkVisibility())
  const heading = (card || first || panel).querySelector("h2[tabindex]") ?? panel.querySelector("h1")
  reach(heading, { preventScroll: !card })
  card?.scrollIntoView({ block: "start" })
})

document.addEventListener("keydown", (event) => {
  clearTimeout(trying)
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
  if (event.target.matches?.("input, select, textarea")) return
  post({ type: "escape" })
})

// A link to another page of ours: it would fill the frame with a page that is not for it.

document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href]")?.getAttribute("href").startsWith("/")) event.preventDefault()
})

// The tab has cookies of its own, so it gets a code that works once.

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-code]")
  if (!form || form.elements.code.value) return
  event.preventDefault()
  const answer = await fetch(form.dataset.code, { method: "POST" })
  if (!answer.ok) return
  form.elements.code.value = (await answer.json()).code
  form.submit()
  form.elements.code.value = ""
})

tell()
