// <mcp-inbox>: the inbox of mcp-webclient in a page of another application. It makes one frame on the inbox's own origin
// and talks to it over a MessageChannel; no question, answer or address of a link ever comes out of that frame.

const NS = "mcp-inbox"
const VERSION = 1
const RELOADING = ["src", "call", "server", "locale"]
const SANDBOX = "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox"

/** The custom properties of the page that the frame may use: names of MCP Apps. */
const THEME = [
  ...["primary", "secondary", "tertiary"].map((name) => `--color-background-${name}`),
  ...["primary", "secondary", "info"].map((name) => `--color-text-${name}`),
  ...["primary", "secondary"].map((name) => `--color-border-${name}`),
  "--font-sans",
  "--font-mono",
  "--border-radius-md",
  "--border-radius-lg",
]

const CSS = `
:host { display: block; position: relative }
:host([hidden]) { display: none }
iframe { border: 0; display: block; inline-size: 100%; block-size: 100%; color-scheme: normal }
button { display: none; font: inherit }
:host([display=panel]) { block-size: 100% }
:host([display=panel]) div { block-size: 100% }
:host([display=badge]) { display: inline-block }
:host([display=badge]) button { display: inline-flex; gap: .5em; min-block-size: 2rem; align-items: center; cursor: pointer }
:host([display=badge]) div { position: absolute; inset-block-start: 100%; inset-inline-end: 0; z-index: 1000;
  inline-size: min(26rem, 100vw); block-size: min(36rem, 80vh); box-shadow: 0 4px 24px rgb(0 0 0 / 25%) }
:host([display=badge]:not([open])) div { visibility: hidden; pointer-events: none }
p { clip-path: inset(50%); inline-size: 1px; block-size: 1px; margin: 0; overflow: hidden; position: absolute }
b { min-inline-size: 1.25em; text-align: center }
b:empty { display: none }
`

const Base = globalThis.HTMLElement ?? class {} // a page that is rendered on a server imports this as well

export class McpInbox extends Base {
  static observedAttributes = [...RELOADING, "color-scheme", "density", "label", "display"]

  /** Returns a token that your backend minted; asked for at the start, before it ends, and after a failure. */
  getToken = this.getToken ?? null // which may have been set before this module was loaded

  #frame = null
  #panel = document.createElement("div")
  #badge = document.createElement("button")
  #count = document.createElement("b")
  #news = document.createElement("p")
  #port = null
  #pending = 0
  #load = 0
  #watch = new MutationObserver(() => this.refresh())
  #scheme = matchMedia("(prefers-color-scheme: dark)")
  #hear = (event) => this.#greet(event)
  #look = () => this.refresh()

  constructor() {
    super()
    const root = this.attachShadow({ mode: "open" })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS) // not a style element, which the page's policy may forbid
    root.adoptedStyleSheets = [sheet]
    this.#badge.type = "button"
    this.#badge.part = "badge"
    this.#panel.part = "panel"
    this.#badge.append(document.createElement("span"), this.#count)
    this.#badge.onclick = () => (this.open = !this.open)
    this.#badge.onkeydown = ({ key }) => void (key === "Escape" && (this.open = false))
    this.#news.role = "status"
    root.append(this.#badge, this.#news, this.#panel)
  }

  /** The number of questions that wait. */
  get pending() {
    return this.#pending
  }

  /** Whether the panel of a badge is open. */
  get open() {
    return this.hasAttribute("open")
  }

  set open(open) {
    this.toggleAttribute("open", open)
    this.#badge.ariaExpanded = String(open)
    if (open) this.#news.textContent = ""
    if (open) this.focus()
  }

  connectedCallback() {
    addEventListener("message", this.#hear)
    this.#scheme.addEventListener("change", this.#look)
    this.#watch.observe(document.documentElement, { attributeFilter: ["class", "style", "data-theme"] })
    this.#name()
    this.#start()
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear)
    this.#scheme.removeEventListener("change", this.#look)
    this.#watch.disconnect()
    this.#end()
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#frame || before === after) return // an upgrade tells of all attributes first
    if (RELOADING.includes(name)) this.#restart()
    else this.refresh()
    this.#name()
  }

  /** Shows one question, and focuses it. */
  show(id) {
    this.#post({ type: "open", id: String(id) })
    this.#frame?.focus()
  }

  /** Moves the focus into the frame, to the first question. */
  focus() {
    this.#frame?.focus()
    this.#post({ type: "focus" })
  }

  /** Tells the frame how the page looks now: colour scheme, density and custom properties. */
  refresh() {
    this.#post({ type: "look", look: this.#looks() })
  }

  /** Forgets the session and signs in again, as when another person is signed in to the page. */
  reload() {
    this.#restart()
  }

  get #origin() {
    return new URL(this.getAttribute("src"), location.href).origin
  }

  #start() {
    let address
    try {
      address = new URL(this.getAttribute("src") || "", location.href)
      if (!/\/embed\/[^/]+$/.test(address.pathname) || !/^https?:$/.test(address.protocol)) throw new Error()
    } catch {
      return this.#fail("src")
    }
    address.searchParams.set("host", location.origin)
    for (const name of ["call", "server", "locale"]) {
      if (this.getAttribute(name)) address.searchParams.set(name, this.getAttribute(name))
    }
    const frame = document.createElement("iframe")
    frame.setAttribute("sandbox", SANDBOX) // without popups no link opens; the origin is its own, never the page's
    frame.allow = "clipboard-write"
    frame.referrerPolicy = "strict-origin"
    frame.part = "frame"
    frame.src = address.href
    this.#frame = frame
    this.#name()
    this.#panel.append(frame)
  }

  #end() {
    this.#load++
    this.#port?.close()
    this.#port = null
    this.#frame?.remove()
    this.#frame = null
  }

  #restart() {
    this.#end()
    this.#say("pending", { count: (this.#pending = 0) })
    this.#start()
  }

  #name() {
    const label = this.getAttribute("label") || "Inbox"
    if (this.#frame) this.#frame.title = label
    this.#badge.firstChild.textContent = label
    this.#count.textContent = this.#pending || ""
    this.#badge.ariaExpanded = String(this.open)
  }

  // The frame begins, and says so to this page alone. It gets a port, and from then on only ports are used.
  #greet({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#origin) return
    if (data?.ns !== NS || data.type !== "hello" || !data.v?.includes?.(VERSION)) return
    const { port1, port2 } = new MessageChannel()
    this.#port?.close()
    this.#port = port1
    port1.onmessage = ({ data }) => port1 === this.#port && this.#receive(data)
    source.postMessage({ ns: NS, type: "welcome", v: VERSION, look: this.#looks() }, origin, [port2])
  }

  #receive(message) {
    const { type, count, id, state, action, why, code, height } = message ?? {}
    if (type === "size") this.#fit(height)
    else if (type === "pending") this.#counted(count)
    else if (type === "token-needed") this.#mint(why)
    else if (type === "escape") this.#escape()
    else if (type === "ready") this.#say(type, {})
    else if (type === "settled") this.#say(type, { id, action })
    else if (type === "call") this.#say(type, { id, state })
    else if (type === "error") this.#fail(code)
  }

  #counted(count) {
    const before = this.#pending
    this.#pending = Number(count) || 0
    this.#name()
    // A closed panel is silent, so the badge announces what comes; an open frame does so itself.
    const isClosed = this.getAttribute("display") === "badge" && !this.open
    if (isClosed && this.#pending > before) this.#news.textContent = this.#badge.textContent.replace(/\d+$/, " $&")
    this.#say("pending", { count: this.#pending })
  }

  #fit(height) {
    const inline = !["panel", "badge"].includes(this.getAttribute("display"))
    if (inline) this.#panel.style.blockSize = `${Math.min(4000, Math.max(48, Math.ceil(height) || 0))}px`
    else this.#panel.style.blockSize = ""
  }

  async #mint(why) {
    const load = this.#load
    this.#say("token-needed", { why })
    try {
      const token = this.getToken ? await this.getToken(why) : await this.#fetched()
      if (load !== this.#load) return
      if (typeof token !== "string" || !token) throw new Error()
      this.#post({ type: "token", token })
    } catch {
      if (load !== this.#load) return
      this.#post({ type: "token-failed" })
      this.#fail("token")
    }
  }

  async #fetched() {
    const address = this.getAttribute("get-token")
    const answer = await fetch(address, { method: "POST", headers: { Accept: "application/json, text/plain" } })
    if (!address || !answer.ok) throw new Error()
    const text = (await answer.text()).trim()
    return text.startsWith("{") ? JSON.parse(text).token : text
  }

  #escape() {
    if (this.getAttribute("display") === "badge") this.open = false
    if (this.getAttribute("display") === "badge") this.#badge.focus()
    else this.#say("leave", {})
  }

  #looks() {
    const style = getComputedStyle(this)
    const found = THEME.map((name) => [name, style.getPropertyValue(name).trim()])
    const shown = style.colorScheme.replace("only", "").trim() // of the page, if it has chosen one
    const scheme = this.getAttribute("color-scheme") || "auto"
    return {
      scheme: scheme === "auto" && ["light", "dark"].includes(shown) ? shown : scheme,
      density: this.getAttribute("density") || "normal",
      display: this.getAttribute("display") || "inline",
      variables: Object.fromEntries(found.filter(([, value]) => value)),
    }
  }

  #post(message) {
    this.#port?.postMessage(message)
  }

  #fail(code) {
    this.#say("error", { code: String(code) })
  }

  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}

if (globalThis.customElements && !customElements.get("mcp-inbox")) customElements.define("mcp-inbox", McpInbox)
