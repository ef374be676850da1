// Saves a draft after a pause and when the page is left, and shows what was saved.

import { ask } from "./own_response.js"

const PAUSE_MS = 250
const RETRY_MS = 5000
const OUTLIVES_THE_PAGE = 60_000 // characters; browsers refuse more than 64 KiB at a time (Fetch, keepalive)

const waiting = new Map()
const busy = new Set()

function later(form, ms = PAUSE_MS) {
  clearTimeout(waiting.get(form))
  waiting.set(form, setTimeout(save, ms, form))
}

async function save(form, isLast = false) {
  // One at a time, so that an older text does not arrive after a newer one.
  if (busy.has(form) && !isLast) return later(form)
  clearTimeout(waiting.get(form))
  waiting.delete(form)
  const line = form.querySelector("[data-draft]")
  busy.add(form)
  try {
    say(line, await send(form, line.dataset.draft))
  } catch {
    say(line, line.dataset.failed)
    if (!waiting.has(form)) later(form, RETRY_MS)
  }
  busy.delete(form)
}

async function send(form, address) {
  const body = new URLSearchParams(new FormData(form)).toString()
  const headers = { "Content-Type": "application/x-www-form-urlencoded" }
  const keepalive = body.length < OUTLIVES_THE_PAGE
  const answer = await ask(address, { method: "POST", headers, body, keepalive })
  if (!answer.ok) throw new Error(answer.statusText)
  return answer.text()
}

function say(line, text) {
  if (line.textContent !== text) line.textContent = text
}

document.addEventListener("input", ({ target }) => {
  if (target.form?.querySelector("[data-draft]")) later(target.form)
})

// A page that is loaded again is asked for before this one is hidden, so "beforeunload"; phones only hide a page.
for (const leaving of ["beforeunload", "pagehide", "visibilitychange"]) {
  addEventListener(leaving, () => {
    for (const form of waiting.keys()) save(form, true)
  })
}
