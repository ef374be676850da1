// Updates relative times ("5 minutes ago") in an open page; their title holds the exact time.

const EVERY_MS = 20_000
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
]
const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" })

function tick() {
  for (const time of document.querySelectorAll("time[title]")) {
    const text = distance((Date.now() - Date.parse(time.dateTime)) / 1000)
    if (text && time.textContent !== text) time.textContent = text
  }
}

function distance(passed) {
  const [unit, length] = UNITS.find(([, length]) => Math.abs(passed) >= length) ?? []
  if (passed < 0) return words.format(Math.ceil(-passed / (length ?? 60)), unit ?? "minute")
  return unit && words.format(-Math.floor(passed / length), unit)
}

tick()
setInterval(tick, EVERY_MS)
