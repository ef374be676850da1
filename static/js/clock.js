// Updates relative times ("5 minutes ago") in an open page, and shows clock times in the person's own time zone; the title
// of each holds the exact time in UTC.

const EVERY_MS = 20_000
const SECOND_MS = 1000
const BEFORE_HAN = /\d(?=\p{Script=Han})/u // the pages put a space there, and Intl does not
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
]
const language = document.documentElement.lang
const words = new Intl.RelativeTimeFormat(language, { numeric: "always" })
const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }
const clocks = {
  time: new Intl.DateTimeFormat(language, clock),
  date: new Intl.DateTimeFormat(language, { ...clock, day: "numeric", month: "short", year: "numeric" }),
}

function tick(selector = "time[title]") {
  for (const time of document.querySelectorAll(selector)) {
    const moment = nextOf(Date.parse(time.dateTime), Number(time.dataset.every))
    const passed = (Date.now() - moment) / 1000
    const text = clocks[time.dataset.clock]?.format(moment) ?? (time.dataset.short ? age : distance)(passed, time.dataset.short)?.replace(BEFORE_HAN, "$& ")
    if (text && time.textContent !== text) time.textContent = text
  }
}

// Of something that comes again and again, the next time.
function nextOf(moment, every) {
  return every ? moment + Math.max(0, Math.ceil((Date.now() - moment) / every)) * every : moment
}

function distance(passed) {
  const [unit, length] = UNITS.find(([, length]) => Math.abs(passed) >= length) ?? []
  if (passed < 0) return words.format(Math.ceil(-passed / (length ?? 1)), unit ?? "second")
  return unit && words.format(-Math.floor(passed / length), unit)
}

// As a list wants it: "3 min ago", in the `pattern` of the page's language. What is younger keeps its word.
function age(passed, pattern) {
  const [unit, length] = UNITS.find(([, length]) => passed >= length) ?? []
  const style = { style: "unit", unit, unitDisplay: unit === "day" ? "long" : "short" }
  return unit && pattern.replace("{age}", new Intl.NumberFormat(language, style).format(Math.floor(passed / length)))
}

tick()
setInterval(tick, EVERY_MS)
// A deadline is counted in seconds at last.
setInterval(tick, SECOND_MS, "time[data-deadline]")
// At once, so that no other time is seen before.
document.addEventListener("htmx:after:swap", () => tick())
