// Tells the server, when it asks, that a page is visible: then it notifies the person nowhere else. Of all tabs one holds
// the stream and gets the question, so each visible tab holds a lock that this one sees.

const VISIBLE = "page visible"

let release = null
let seen = ""

function hold() {
  if (!navigator.locks || document.hidden === (release === null)) return
  if (release) {
    release()
    release = null
    return
  }
  const hidden = new Promise((resolve) => (release = resolve))
  navigator.locks.request(VISIBLE, { mode: "shared" }, () => hidden).catch(() => {})
}

async function isVisible() {
  if (!document.hidden) return true
  const { held = [] } = (await navigator.locks?.query().catch(() => null)) ?? {}
  return held.some(({ name }) => name === VISIBLE)
}

document.addEventListener("htmx:after:swap", async () => {
  const probe = document.getElementById("visibility")?.dataset
  if (!probe?.probe || probe.probe === seen) return
  seen = probe.probe
  if (await isVisible()) fetch(probe.answer, { method: "POST" }).catch(() => {})
})
document.addEventListener("visibilitychange", hold)
hold()
