// The wire log: loaded once it is not folded, and followed by a stream of its own while it can be seen.

const MOST_MESSAGES = 500

let source = null
let followed = null
let address = ""

function follow() {
  const list = document.getElementById("wire-log-messages")
  // An empty list is not displayed, and is followed all the same.
  const canBeSeen = list?.dataset.stream && !document.hidden && list.parentElement.checkVisibility()
  if (source && (list !== followed || list.dataset.stream !== address || !canBeSeen || source.readyState === EventSource.CLOSED)) stop()
  if (canBeSeen && !source) start(list)
  if (list) showLocalTimes(list)
}

function start(list) {
  followed = list
  address = list.dataset.stream
  source = new EventSource(address)
  const own = source
  source.addEventListener("message", ({ data, lastEventId }) => own === source && add(list, data, lastEventId))
  if (!list.dataset.scrolled) list.scrollTop = list.scrollHeight
  list.dataset.scrolled = "true"
}

function stop() {
  source.close()
  source = followed = null
}

async function add(list, text, seen) {
  const resumed = new URL(address, location)
  resumed.searchParams.set("seen", seen)
  address = list.dataset.stream = resumed.pathname + resumed.search
  const isAtEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 40
  await htmx.swap({ text, sourceElement: list, target: list, swap: "none swapEmpty:false" })
  for (const message of [...list.children].slice(0, -MOST_MESSAGES)) message.remove()
  if (isAtEnd) list.scrollTop = list.scrollHeight
}

function showLocalTimes(list) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" })
  for (const time of list.querySelectorAll(".wire-message__time:not([data-local])")) {
    time.dataset.local = "true"
    time.textContent = format.format(Date.parse(time.dateTime))
  }
}

function load(address) {
  return htmx.ajax("GET", address, { target: "#wire-log-body", swap: "innerMorph" })
}

function loadRegion() {
  const region = document.querySelector("[data-wire-log]:not(details:not([open]))")
  if (!region || region.dataset.loaded) return
  region.dataset.loaded = "true"
  load(region.dataset.wireLog).catch(() => delete region.dataset.loaded)
}

// The filter of a log in another page loads that log again, and not another page.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("#wire-log-body .wire-log__filter")) return
  event.preventDefault()
  load(`${event.target.getAttribute("action")}?${new URLSearchParams(new FormData(event.target))}`)
})

function refresh() {
  loadRegion()
  follow()
}

document.addEventListener("toggle", refresh, true)
document.addEventListener("visibilitychange", refresh)
document.addEventListener("htmx:after:swap", refresh)
document.addEventListener("page:shown", refresh)
refresh()
