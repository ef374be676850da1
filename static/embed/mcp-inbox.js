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

const GREETING_MS = 10_000 // in which a frame says that it is there
const GRACE_MS = 1000 // the same for a frame that has loaded, which may be the browser's own page about an error
const PAUSE_MS = 5000 // before a frame that did not come is loaded again; doubled each time
const LONGEST_PAUSE_MS = 60_000

/** What the person reads in place of a frame that is not there, for each state of the element: in English and in Chinese. */
const SENTENCES = {
  loading: ["Loading your questions…", "正在加载你的问题…"],
  unreachable: ["Your questions cannot be loaded: the inbox cannot be reached.", "无法加载你的问题：无法连接到收件箱。"],
  refused: ["Your questions cannot be shown here. The people who run this page can find the cause in its console.",
    "无法在此显示你的问题。此页面的维护者可以在控制台中找到原因。"],
  "signed-out": ["You are signed out.", "你已退出登录。"],
}
const FAULTS = ["unreachable", "refused"]
const TRY_AGAIN = ["Try again", "重试"]
const CLOSE = ["Close", "关闭"]

const GAP = 8
const SHEET = 480 // in a window that is narrower, the panel of a badge is as wide as the window

// While a question is covered:
const REST_MS = 100 // without a scroll, a press or a key in the page, before the frame comes to its front
const CHECK_MS = 500 // between looks at what is over it then
const VERDICT_MS = 500 // in which the frame knows that nothing covers it any more
const VAIN_MS = 5000 // before the next try, if it was in vain
const STIRS = ["scroll", "resize", "pointerdown", "keydown"]
const STEP = 24 // pixels between lines that are looked at: each look costs time in a long page
const INSET = 4 // and between their ends and the side of the frame, which may be round
const SHADOW = 64 // pixels around the frame that are not clipped
const TOPMOST = 2 ** 31 - 1 // for a layer that lets presses through, and so is not found

const CSS = `
:host { display: block; position: relative }
:host([hidden]) { display: none }
:host(:is([theme=light], [color-scheme=light])) { color-scheme: light }
:host(:is([theme=dark], [color-scheme=dark])) { color-scheme: dark }
:host([edge=shadow]) div:not([role])[part=panel] { border-radius: 12px; box-shadow: 0 1px 3px rgb(0 0 0 / 25%), 0 4px 16px rgb(0 0 0 / 15%) }
:host([edge=shadow]) iframe { border-radius: inherit }
iframe { border: 0; display: block; flex: 1; inline-size: 100%; min-block-size: 0; color-scheme: normal }
button { cursor: pointer; font: inherit }
button[part=badge] { background: Canvas; border: 1px solid GrayText; border-radius: 2em; color: CanvasText; display: none; padding-inline: 1em }
:host([display=panel]), :host([display=panel]) > div { block-size: 100% }
:host > div > div { block-size: 100%; box-sizing: border-box; display: flex; flex-direction: column }
button[part=close] { align-self: end; background: none; border: 0; color: inherit; display: none; min-block-size: 2.5rem; min-inline-size: 2.5rem }
[popover] { background: none; border: 0; color: inherit; inset: auto; margin: 0; overflow: visible; padding: 0; position: fixed }
[role=dialog] { background: Canvas; border-radius: 12px; box-shadow: 0 4px 24px rgb(0 0 0 / 30%); color: CanvasText;
  max-block-size: none; max-inline-size: none; overflow: hidden }
[role=dialog] button[part=close] { display: block }
button[part=close]::before { content: "\\2715" }
:host([display=badge]) { display: inline-block }
:host([display=badge]) button[part=badge] { display: inline-flex; gap: .5em; min-block-size: 2rem; align-items: center }
:host([display=badge]) div:not([role]) > iframe { block-size: 36rem; inline-size: 20rem; inset: -40rem auto auto 0; pointer-events: none;
  position: fixed; visibility: hidden }
p { clip-path: inset(50%); inline-size: 1px; block-size: 1px; margin: 0; overflow: hidden; position: absolute }
b { background: #b3261e; border-radius: 1em; color: #fff; min-inline-size: 1.5em; text-align: center }
b:empty { display: none }
[part=state] { align-items: center; display: flex; flex-wrap: wrap; gap: .5em 1em; padding: 1em }
:host([display=badge]) div:not([role]) > [part=state], [hidden] { display: none !important }
`

// How high an element of the page may lie above the frame.
function layerOf(element) {
  const own = element ? Number(getComputedStyle(element).zIndex) || 0 : 0
  return element?.parentElement ? Math.max(own, layerOf(element.parentElement)) : own
}

const Base = globalThis.HTMLElement ?? class {} // a page that is rendered on a server imports this as well

export class McpInbox extends Base {
  static observedAttributes = [...RELOADING, "theme", "color-scheme", "density", "edge", "label", "display", "open"]

  /** Returns a token that your backend minted; asked for at the start, before it ends, and after a failure. */
  getToken = this.getToken ?? null // which may have been set before this module was loaded

  #frame = null
  #spot = document.createElement("div") // the place of the panel in the page
  #panel = document.createElement("div") // around the frame
  #close = document.createElement("button")
  #badge = document.createElement("button")
  #count = document.createElement("b")
  #news = document.createElement("p")
  #line = document.createElement("div") // in place of a frame that is not there
  #again = document.createElement("button")
  #state = "" // until the element is in a page
  #port = null // to a frame that has greeted
  #pending = 0
  #load = 0
  #timer = 0
  #failures = 0
  #watch = new MutationObserver(() => this.refresh())
  #scheme = matchMedia("(prefers-color-scheme: dark)")
  #hear = (event) => this.#greet(event)
  #look = () => this.refresh()
  #fitted = () => this.#position()
  #left = ({ target }) => target !== this && this.#leave()
  #online = () => FAULTS.includes(this.#state) && !this.#port && this.#begin()
  // Where it looks different at the front, it does not flicker while the person types.
  #stir = ({ target, key }) => target === this || (this.#floats && key?.length === 1) || this.#goBack(REST_MS)
  #at = "" // where it is there
  #restsAt = 0 // when the page has been at rest for long enough, if nothing moves again
  #frontAt = 0 // when the frame came to the front of the page, or 0
  #floats = false // whether it is in the top layer then
  #checking = 0
  #isWarned = false
  #isCompared = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: "open" })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS) // not a style element, which the page's policy may forbid
    root.adoptedStyleSheets = [sheet]
    this.#badge.type = "button"
    this.#badge.part = "badge"
    this.#badge.ariaHasPopup = "dialog"
    this.#badge.setAttribute("aria-controls", "panel") // in the same tree
    this.#panel.id = "panel"
    this.#panel.part = "panel"
    this.#badge.append(document.createElement("span"), this.#count)
    this.#badge.onclick = () => (this.open = !this.open)
    this.#news.role = "status"
    this.#close.type = "button"
    this.#close.part = "close"
    this.#close.onclick = () => this.#escape()
    this.#line.part = "state"
    this.#line.role = "status"
    this.#line.tabIndex = -1
    this.#again.type = "button"
    this.#again.part = "retry"
    this.#again.onclick = () => {
      this.#restart()
      this.#line.focus()
    }
    this.#line.append(document.createElement("span"), this.#again)
    this.#panel.append(this.#close, this.#line)
    // What was answered stays in view until the pointer leaves it.
    this.#panel.onpointerleave = () => void (this.#isBadge || this.#pending || this.#lower())
    this.#spot.append(this.#panel)
    root.append(this.#badge, this.#news, this.#spot)
    root.addEventListener("keydown", ({ key }) => key === "Escape" && this.#panel.role && this.#escape())
  }

  /** The number of questions that wait. */
  get pending() {
    return this.#pending
  }

  /** What is shown: "loading", "ready", "unreachable", "refused" or "signed-out". */
  get state() {
    return this.#state || "loading"
  }

  /** Whether the panel of a badge is open. */
  get open() {
    return this.hasAttribute("open")
  }

  set open(open) {
    this.toggleAttribute("open", open)
    if (open) this.focus()
  }

  connectedCallback() {
    addEventListener("message", this.#hear)
    addEventListener("online", this.#online)
    for (const type of STIRS) addEventListener(type, this.#stir, { capture: true, passive: true })
    this.#scheme.addEventListener("change", this.#look)
    this.#watch.observe(document.documentElement, { attributeFilter: ["class", "style", "data-theme"] })
    this.#restart()
    this.#show()
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear)
    removeEventListener("online", this.#online)
    for (const type of STIRS) removeEventListener(type, this.#stir, true)
    this.#goBack(0)
    this.#scheme.removeEventListener("change", this.#look)
    this.#watch.disconnect()
    this.#lower()
    this.#end()
    this.#state = ""
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#state || before === after) return // an upgrade tells of all attributes first
    if (!RELOADING.includes(name)) this.refresh()
    else if (this.#frame || this.#state !== "signed-out") this.#restart()
    if (name === "display") this.#goBack(0)
    if (name === "open" || name === "display") this.#show()
    this.#name()
  }

  /** Shows one question, and focuses it. */
  show(id) {
    this.#post({ type: "open", id: String(id) })
    this.#frame?.focus()
  }

  /** Moves the focus into the frame, to the first question. */
  focus() {
    if (this.#port) this.#frame.focus()
    else this.#again.focus()
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

  /** Clears everything of the person at once, as when they sign out of the page. `reload()` begins again. */
  signOut() {
    this.#end()
    this.#enter("signed-out")
  }

  get #origin() {
    return new URL(this.getAttribute("src"), location.href).origin
  }

  #restart() {
    this.#failures = 0
    this.#enter("loading")
    this.#begin()
  }

  // The state machine. Each state is entered here, and nowhere else:
  // - loading: a frame is on its way, or has greeted and waits for a token and the questions;
  // - ready: the frame shows the questions;
  // - unreachable, refused: no frame has come, or it has lost the inbox. It is tried again with growing pauses;
  // - signed-out: nothing of a person is shown, as there is no token for one, or the session was ended.
  #enter(state, cause, code = state) {
    const before = this.#state
    this.#state = state
    if (state === "ready") this.#failures = 0
    if (!this.#port && this.#pending) this.#counted(0)
    this.#draw()
    if (before === state) return
    this.#say("state", { state })
    if (state === "ready") this.#say("ready", {})
    if (!FAULTS.includes(state)) return
    console.error(`<mcp-inbox>: ${cause} See docs/embedding.md.`)
    this.#fail(code)
  }

  // A frame that has greeted speaks for itself.
  #draw() {
    this.#line.hidden = Boolean(this.#port) || this.#state === "ready"
    this.#line.firstChild.textContent = this.#word(SENTENCES[this.#state] ?? ["", ""])
    this.#again.hidden = !FAULTS.includes(this.#state)
    this.#again.textContent = this.#word(TRY_AGAIN)
    if (this.#frame) this.#frame.hidden = !this.#line.hidden
    if (!this.#line.hidden) this.#spot.style.blockSize = ""
    this.#name()
    this.#position()
  }

  #begin() {
    this.#end()
    let address
    try {
      address = new URL(this.getAttribute("src") || "", location.href)
      if (!/\/embed\/[^/]+$/.test(address.pathname) || !/^https?:$/.test(address.protocol)) throw new Error()
    } catch {
      return this.#enter("refused", "its src is not the address of a frame, https://INBOX/embed/NAME.", "src")
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
    frame.onload = () => this.#port || this.#await(GRACE_MS, true)
    this.#frame = frame
    this.#await(GREETING_MS, false)
    this.#draw()
    this.#panel.append(frame)
  }

  #end() {
    this.#load++
    clearTimeout(this.#timer)
    this.#port?.close()
    this.#port = null
    this.#frame?.remove()
    this.#frame = null
  }

  // The frame loads itself again.
  #restarted(why) {
    this.#port.close()
    this.#port = null
    this.#enter(why === "signed-out" ? why : "loading")
    this.#await(GREETING_MS, false)
  }

  // For the greeting of the frame.
  #await(ms, isLoaded) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#miss(isLoaded), ms)
  }

  async #miss(isLoaded) {
    const load = this.#load
    const [state, cause] = await this.#diagnose(isLoaded)
    if (load !== this.#load || this.#port) return
    this.#enter(state, cause)
    const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** this.#failures++)
    this.#timer = setTimeout(() => this.#begin(), pause * (0.7 + 0.3 * Math.random()))
  }

  // Browsers tell a page nothing of a frame that did not load. The address of the frame may be read by every page.
  async #diagnose(isLoaded) {
    // A frame that is still on its way has had its ten seconds.
    const signal = AbortSignal.timeout(isLoaded ? GREETING_MS - GRACE_MS : GRACE_MS)
    const asked = { credentials: "omit", cache: "no-store", signal }
    const { status } = await fetch(this.#frame.src, asked).catch(() => ({ status: 0 }))
    if (status === 404) return ["refused", `embedders.json of ${this.#origin} has no application with the name in src.`]
    if (status === 403) return ["refused", `embedders.json of ${this.#origin} does not list ${location.origin} under "origins".`]
    if (status === 200 && isLoaded) {
      return ["refused", "the browser does not show the frame: frame-src of this page, or a page around it that embedders.json does not list."]
    }
    if (status) return ["unreachable", `${this.#origin} does not send the frame in time; its status is ${status}.`]
    return ["unreachable", `${this.#origin} cannot be reached, or connect-src in the policy of this page keeps the cause from being found.`]
  }

  #name() {
    const label = this.getAttribute("label") || "Inbox"
    if (this.#frame) this.#frame.title = label
    this.#panel.ariaLabel = this.#panel.role && label
    this.#close.ariaLabel = this.#word(CLOSE)
    this.#badge.firstChild.textContent = label
    const isFaulty = FAULTS.includes(this.#state)
    this.#count.textContent = isFaulty ? "!" : this.#pending || ""
    this.#badge.title = isFaulty ? this.#word(SENTENCES[this.#state]) : ""
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
    clearTimeout(this.#timer)
    if (this.#state === "signed-out") this.#draw()
    else this.#enter("loading")
    source.postMessage({ ns: NS, type: "welcome", v: VERSION, look: this.#looks() }, origin, [port2])
  }

  #receive(message) {
    const { type, count, id, state, action, why, code, height } = message ?? {}
    if (type === "size") this.#fit(height)
    else if (type === "pending") this.#counted(count)
    else if (type === "token-needed") this.#mint(why)
    else if (type === "escape") this.#escape()
    else if (type === "ready" || type === "signed-out") this.#enter(type)
    else if (type === "lost") this.#enter("unreachable", "the frame has lost its connection to the inbox.")
    else if (type === "restart") this.#restarted(why)
    else if (type === "settled") this.#say(type, { id, action })
    else if (type === "call") this.#say(type, { id, state })
    else if (type === "error") this.#fail(code)
    else if (this.#isBadge) return // whose frame is hidden, or on top already
    else if (type === "cover") this.#comeToFront()
    else if (type === "covered") this.#covered()
    else if (type === "raise" || (type === "cut" && this.#frontAt)) this.#lift()
  }

  #counted(count) {
    const before = this.#pending
    this.#pending = Number(count) || 0
    if (!this.#pending) this.#goBack(0)
    this.#name()
    // A closed panel is silent, so the badge announces what comes; an open frame does so itself.
    const isClosed = this.#isBadge && !this.open
    if (isClosed && this.#pending > before) this.#news.textContent = this.#badge.textContent.replace(/\d+$/, " $&")
    this.#say("pending", { count: this.#pending })
  }

  #fit(height) {
    const isInline = !this.#isBadge && this.getAttribute("display") !== "panel"
    if (isInline) this.#spot.style.blockSize = `${Math.min(4000, Math.max(48, Math.ceil(height) || 0))}px`
    else this.#spot.style.blockSize = ""
    this.#position()
    if (this.#frontAt) this.#drawInFront()
  }

  get #isBadge() {
    return this.getAttribute("display") === "badge"
  }

  #word([english, chinese]) {
    return /^zh/.test(this.getAttribute("locale") || navigator.language) ? chinese : english
  }

  // Chromium takes no click into a frame that anything covers, and a bar over its edge is enough. In the top layer nothing of
  // the page does. The same frame goes there and back, without being loaded again.
  #lift() {
    if (this.#panel.role || !this.#frame || !this.#panel.showPopover) return
    this.#goBack(0)
    this.#panel.popover = "manual"
    this.#panel.role = "dialog"
    this.#panel.showPopover()
    this.#position()
    this.#name()
    for (const type of ["pointerdown", "focusin"]) document.addEventListener(type, this.#left, true)
    for (const type of ["resize", "scroll"]) addEventListener(type, this.#fitted, true)
  }

  // Most of what covers a frame in a chat are bars over its edges, and neighbours of the list that it scrolls in. While the page
  // rests, the frame is drawn in front of them, without the part that they cover: it looks the same, and the first press counts.
  // If Chromium takes it for covered there, the page fades or distorts it: then it is drawn in the top layer, at the same place.
  #comeToFront() {
    const now = performance.now()
    if (this.#panel.role || now < this.#restsAt) return
    if (!this.#frontAt) this.#drawInFront()
    else if (now > this.#frontAt + VERDICT_MS) {
      // Not into the top layer if the page hides it.
      this.#floats = !this.#floats && this.#panel.showPopover && this.checkVisibility({ opacityProperty: true })
      this.#goBack(this.#floats ? 0 : VAIN_MS) // something else covers it
    }
  }

  // Again and again, as something may open over the frame, and the frame may grow.
  #drawInFront() {
    const { style } = this.#panel
    this.#unclip()
    style.pointerEvents = "none" // to look below it, if it is in the top layer
    const part = this.#uncovered()
    style.pointerEvents = ""
    if (!part) return this.#goBack(REST_MS)
    Object.assign(this.#floats ? style : this.#spot.style, part)
    this.#at = this.#place()
    if (this.#frontAt) return
    this.#frontAt = performance.now()
    this.#checking = setInterval(() => this.#drawInFront(), CHECK_MS)
    if (!this.#floats) return
    this.#panel.popover = "manual"
    this.#panel.showPopover()
    this.#follow()
  }

  #place() {
    return JSON.stringify(this.#spot.getBoundingClientRect())
  }

  // What is in the top layer does not move with the page.
  #follow() {
    if (!this.#frontAt) return
    if (this.#at === this.#place()) requestAnimationFrame(() => this.#follow())
    else this.#goBack(REST_MS)
  }

  #goBack(pause) {
    this.#restsAt = performance.now() + pause
    if (!this.#frontAt) return
    this.#frontAt = 0
    clearInterval(this.#checking)
    this.#unclip()
    for (const name of ["popover", "style"]) this.#panel.removeAttribute(name)
  }

  #unclip() {
    Object.assign(this.#spot.style, { clipPath: "", position: "", zIndex: "" })
  }

  // The styles that bring the part to the front that nothing covers, from one side to the other; none if it is not in one piece.
  #uncovered() {
    const { left, right, top, bottom, width, height } = this.#spot.getBoundingClientRect()
    const own = getComputedStyle(this.#spot) // before the page scales or turns it
    const scale = Math.round((100 * width) / parseFloat(own.width)) / 100
    const slant = Math.max(0, height - parseFloat(own.height) * scale)
    const [first, last] = [Math.max(top + slant, 0), Math.min(bottom - slant, innerHeight)]
    const [start, end] = [Math.max(left, 0) + INSET, Math.min(right, innerWidth) - INSET]
    const covers = new Set()
    const root = this.getRootNode()
    // How much of a line is free.
    const free = (y) => {
      const found = [start, (start + end) / 2, end].map((x) => root.elementFromPoint(x, y))
      for (const each of found) if (each !== this) covers.add(each)
      return found.filter((each) => each === this).length / found.length
    }
    const lines = []
    for (let y = first + 1; y < last; y += STEP) lines.push([y, free(y)])
    const [from, to] = [lines.findIndex(([, share]) => share), lines.findLastIndex(([, share]) => share)]
    if (from < 0 || lines.slice(from, to + 1).some(([, share]) => share < 1)) return null
    // Where exactly it begins and ends.
    const edge = (inside, outside) => {
      for (let step = 0; step < 6; step++) {
        const middle = (inside + outside) / 2
        if (free(middle) === 1) inside = middle
        else outside = middle
      }
      return inside
    }
    const above = from > 0 ? (edge(lines[from][0], lines[from - 1][0]) - top) / scale : -SHADOW
    const below = to < lines.length - 1 ? (bottom - edge(lines[to][0], lines[to + 1][0])) / scale : -SHADOW
    const clipPath = `inset(${above}px ${-SHADOW}px ${below}px)`
    if (this.#floats) {
      const [x, y] = [left, top].map((each) => `${each / scale}px`)
      return { clipPath, left: x, top: y, width: own.width, height: own.height, zoom: scale / (this.currentCSSZoom ?? 1) }
    }
    const zIndex = covers.size ? Math.max(...[...covers].map(layerOf)) + 1 : TOPMOST
    return { clipPath, position: "relative", zIndex }
  }

  #lower() {
    if (!this.#panel.role) return
    for (const type of ["pointerdown", "focusin"]) document.removeEventListener(type, this.#left, true)
    for (const type of ["resize", "scroll"]) removeEventListener(type, this.#fitted, true)
    for (const name of ["popover", "role", "style", "aria-label"]) this.#panel.removeAttribute(name)
  }

  // Beside the badge where there is room, or over the place of the element in the page.
  #position() {
    if (!this.#panel.role) return
    const { innerWidth: across, innerHeight: down } = window
    const at = (this.#isBadge ? this.#badge : this.#spot).getBoundingClientRect()
    const bar = this.#close.offsetHeight
    let width = Math.min(this.#isBadge ? 416 : Math.max(this.#spot.offsetWidth, 288), across - 2 * GAP)
    // As high as what it shows, if that is known: a panel may be a small window of a long question.
    const least = this.#isBadge || this.getAttribute("display") === "panel" ? 576 : 0
    let height = Math.min(this.#isBadge ? least : Math.max(least, this.#spot.offsetHeight + bar), down - 2 * GAP)
    let [left, top] = [at.left, at.top - bar]
    if (this.#isBadge) {
      const [above, below] = [at.top - 2 * GAP, down - at.bottom - 2 * GAP]
      if (across < SHEET) [left, top, width] = [0, down, across]
      else {
        if (Math.max(above, below) > 240) height = Math.min(height, Math.max(above, below))
        left = at.right - width < GAP ? at.left : at.right - width
        top = above > below ? at.top - GAP - height : at.bottom + GAP
      }
    }
    const edge = width === across ? 0 : GAP
    left = Math.max(edge, Math.min(left, across - edge - width))
    top = Math.max(edge, Math.min(top, down - edge - height))
    Object.assign(this.#panel.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
  }

  #show() {
    this.#lower()
    if (!this.#isBadge || !this.open) return
    this.#news.textContent = ""
    this.#lift()
  }

  #leave() {
    if (this.#isBadge) this.open = false
    else this.#lower()
  }

  #covered() {
    this.#say("covered", {})
    if (this.#isWarned) return
    this.#isWarned = true
    const { left, top, width, height } = this.#spot.getBoundingClientRect()
    const points = [0.01, 0.25, 0.5, 0.75, 0.99].map((part) => document.elementFromPoint(left + width / 2, top + height * part))
    const found = points.find((element) => element && !element.contains(this))
    console.warn("<mcp-inbox>: something in this page covers, fades or distorts the frame. See docs/embedding.md.", found ?? this)
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
    const isLifted = this.#panel.role
    this.#leave()
    if (this.#isBadge) this.#badge.focus()
    else if (!isLifted) this.#say("leave", {})
  }

  // A dark page by a class of its own says nothing of it to frames.
  #compare(looks) {
    if (this.#isCompared || looks.variables["--color-background-secondary"]) return
    const isDark = looks.scheme === "auto" ? this.#scheme.matches : looks.scheme === "dark"
    for (let place = this; place; place = place.parentElement ?? place.getRootNode().host) {
      const [red, green, blue, alpha = 1] = getComputedStyle(place).backgroundColor.match(/^rgba?\(([\d., ]+)\)$/)?.[1].split(",").map(Number) ?? []
      if (red === undefined || alpha < 0.5) continue
      const light = (0.3 * red + 0.6 * green + 0.1 * blue) / 255
      if (isDark ? light < 0.6 : light > 0.4) return
      this.#isCompared = true
      const [page, frame] = isDark ? ["light", "dark"] : ["dark", "light"]
      return console.warn(`<mcp-inbox>: the page is ${page} and the frame ${frame}. Set the attribute theme. See docs/embedding.md.`, place)
    }
  }

  #looks() {
    const style = getComputedStyle(this)
    const found = THEME.map((name) => [name, style.getPropertyValue(name).trim()])
    const shown = style.colorScheme.replace("only", "").trim() // of the page, if it has chosen one
    const scheme = this.getAttribute("theme") || this.getAttribute("color-scheme") || "auto"
    const looks = {
      scheme: scheme === "auto" && ["light", "dark"].includes(shown) ? shown : scheme,
      density: this.getAttribute("density") || "normal",
      display: this.getAttribute("display") || "inline",
      edge: this.getAttribute("edge") || "",
      variables: Object.fromEntries(found.filter(([, value]) => value)),
    }
    this.#compare(looks)
    return looks
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
