// Keeps "5 minutes ago" true in a page that stays open.

const EVERY_MS = 20_000
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
]
const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" })

function tick() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000
    const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? []
    if (!unit) continue
    const text = words.format(-Math.floor(seconds / length), unit)
    if (time.textContent !== text) time.textContent = text
  }
}

setInterval(tick, EVERY_MS)
