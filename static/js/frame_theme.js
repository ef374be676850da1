// The looks of the page around the frame: its colour scheme, density, edge, and a few custom properties with the names of MCP Apps.
// They never reach the lines that say who asks and where a link leads, and never make text hard to read.

const TOKENS = {
  "--color-background-primary": "--color-surface",
  "--color-background-secondary": "--color-ground",
  "--color-background-tertiary": "--color-sunken",
  "--color-text-primary": "--color-text",
  "--color-text-secondary": "--color-muted",
  "--color-text-info": "--color-accent",
  "--color-border-primary": "--color-border",
  "--color-border-secondary": "--color-control",
  "--font-sans": "--font-sans",
  "--font-mono": "--font-mono",
  "--border-radius-md": "--radius",
  "--border-radius-lg": "--radius-large",
}

const STRIP = ".card__head, .card__round, .card__fact, .url, .verdict, .answers, .outcome__line" // who asks, where to, and the buttons

// Colours that must be distinguished: WCAG 2.2, 1.4.3.
const PAIRS = [
  ["--color-text", "--color-surface"],
  ["--color-text", "--color-ground"],
  ["--color-text", "--color-sunken"],
  ["--color-muted", "--color-surface"],
  ["--color-accent", "--color-surface"],
]
const LEAST_CONTRAST = 4.5

const root = document.documentElement
const sheet = new CSSStyleSheet()
const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true })
document.adoptedStyleSheets.push(sheet)

/** Returns the looks that were applied; false if the colours are too alike and were left out. */
export function applyLooks(looks) {
  const { scheme, density, display, edge, variables } = Object(looks)
  root.style.colorScheme = ["light", "dark"].includes(scheme) ? scheme : "light dark"
  root.dataset.density = density === "compact" ? density : "normal"
  root.dataset.display = ["panel", "badge"].includes(display) ? display : "inline"
  root.dataset.edge = edge === "fade" ? edge : ""
  const wanted = read(Object(variables))
  if (isReadable(wanted)) return apply(wanted), true
  apply(wanted.filter((value) => !isColour(value)))
  return false
}

function read(variables) {
  const found = []
  for (const [name, token] of Object.entries(TOKENS)) {
    const value = Object.hasOwn(variables, name) ? String(variables[name]) : ""
    if (value && isSafe(token, value)) found.push([token, value])
  }
  return found
}

function isSafe(token, value) {
  if (value.length > 200 || /url|image|var|env|attr|[;{}<>\\@]/i.test(value)) return false
  if (token.startsWith("--color-")) return CSS.supports("color", value) && colour(value)?.[3] === 255
  if (token.startsWith("--font-")) return /^[\w\s"',.-]+$/.test(value) && CSS.supports("font-family", value)
  return /^\d{1,2}(\.\d+)?(px|rem|em)$/.test(value) || value === "0"
}

function apply(values) {
  sheet.replaceSync("")
  if (!values.length) return
  const own = getComputedStyle(root)
  const before = values.map(([token]) => [token, own.getPropertyValue(token)])
  const rule = (pairs) => pairs.map(([token, value]) => `${token}:${value};`).join("")
  sheet.replaceSync(`:root:root{${rule(values)}} ${strip(rule(before), values.some(isColour))}`)
}

// The strip keeps our own colours and fonts. Under our colours lies our ground, and fills the gaps between its lines.
function strip(own, coloured) {
  const lines = `:is(${STRIP}){${own}font-family:var(--font-sans)}`
  if (!coloured) return lines
  return `${lines} :is(${STRIP}){--strip:var(--color-surface);background:var(--strip);color:var(--color-text)}
    .outcome__line{--strip:var(--color-sunken)}
    :is(.card__fact, .card__round){box-shadow:0 .25rem 0 .25rem var(--strip)}
    :is(.card__head, .answers){box-shadow:0 0 0 .25rem var(--strip), 0 .25rem 0 .25rem var(--strip)}`
}

function isColour([token]) {
  return token.startsWith("--color-")
}

function isReadable(values) {
  const own = getComputedStyle(root)
  const chosen = Object.fromEntries(values)
  if (!values.some(isColour)) return true
  sheet.replaceSync("")
  const of = (token) => luminance(colour(chosen[token] ?? own.getPropertyValue(token)))
  return PAIRS.every(([text, ground]) => contrast(of(text), of(ground)) >= LEAST_CONTRAST)
}

function colour(value) {
  const probe = root.appendChild(document.createElement("i"))
  probe.style.color = value
  const shown = getComputedStyle(probe).color // light-dark() and names are resolved
  probe.remove()
  canvas.clearRect(0, 0, 1, 1)
  canvas.fillStyle = shown
  canvas.fillRect(0, 0, 1, 1)
  return canvas.getImageData(0, 0, 1, 1).data
}

function luminance([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one, other) {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}
