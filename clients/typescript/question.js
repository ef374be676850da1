// One question on its way: posted until it has arrived, polled until it is settled, or withdrawn. It is asked once, however
// often the network fails, and given up when its deadline has passed without the inbox.
import { InboxError, TooManyQuestionsError } from "./results.js"

const POLL_SECONDS = 25 // Proxies cut connections that are silent for a minute, and some for half of one.
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
const WORTH_A_WARNING_MS = 2_000 // A restart of the inbox is over before.
const CUT_MS = 5_000 // A request that fails later was a long poll that something cut, and the inbox is there.
const REFUSED = new Set([403, 409, 413, 422])
const PASSING = new Set([408, 425, 429])
const LIMITED = 429
const SETTLED = 409

/** One question: posted with one key until there is an answer, then polled by its id. */
export class Question {
  constructor({ requests, token, limit, fetch, warn, body, key }) {
    Object.assign(this, { requests, token, limit, fetch, warn, body, key: key ?? crypto.randomUUID(), id: undefined })
  }

  /** Ask, and wait for the settled request; one that is refused has no id. */
  async end(signal) {
    const posted = await this.post(signal)
    return posted.id === undefined ? posted : this.settled(this.id, signal)
  }

  /** Wait until the request with this id is settled, and return it. */
  async settled(id, signal) {
    let request
    // At least once, also if it was settled before: the inbox counts an answer as fetched by this alone.
    do request = await this.get(id, signal)
    while (request.state === "pending")
    return request
  }

  /** Withdraw the question; return the settled request if the person was first, or it was refused. */
  async withdraw(why, signal) {
    // It may be unknown whether the question arrived: the same key finds it.
    if (this.id === undefined && !this.mayBeThere) return undefined
    if (this.id === undefined) {
      const posted = await this.post(signal)
      if (posted.id === undefined) return posted
    }
    const response = await this.send("POST", `/${this.id}/withdraw`, signal, { reason: why })
    return response.status === SETTLED ? this.get(this.id, signal) : undefined
  }

  /** Put the question to the person, once; return the request, or one without an id if it is refused. */
  async post(signal) {
    this.mayBeThere = true
    const response = await this.send("POST", "", signal, this.body)
    const lacksScope = (response.headers.get("www-authenticate") ?? "").includes("insufficient_scope")
    const why = saidBy(response)
    if (response.status === LIMITED && why) {
      // An error and no `cancel`, which would say that a person did not want to answer.
      this.mayBeThere = false
      throw new TooManyQuestionsError(`The inbox takes no more questions for now. ${why}`)
    }
    if (REFUSED.has(response.status) && !lacksScope && why) return { state: "refused", reason: why }
    const request = checked(response)
    this.id = request.id
    return request
  }

  async get(id, signal) {
    return checked(await this.send("GET", `/${encodeURIComponent(id)}?wait=${POLL_SECONDS}`, signal))
  }

  /** Send until there is a response that is not a fault of the network, of a proxy or of a restart. */
  async send(method, path, signal, body) {
    const headers = { Authorization: `Bearer ${this.token}` }
    if (body) headers["Content-Type"] = "application/json"
    if (body === this.body) headers["Idempotency-Key"] = this.key
    const started = Date.now()
    let warned = false
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const began = Date.now()
      let fault
      let wait = 0
      try {
        const patience = AbortSignal.timeout((POLL_SECONDS + 15) * 1000)
        const response = await this.fetch(this.requests + path, {
          method, headers, body: body && JSON.stringify(body), signal: AbortSignal.any([signal, patience]),
        })
        // Read here: the connection may break in the middle of the body.
        const text = await response.text()
        const whole = { status: response.status, headers: response.headers, text }
        if (!isPassing(whole)) return whole
        fault = detailOf(whole)
        wait = retryAfter(whole)
        if (isLimit(whole)) {
          if (began - started + wait > this.limit * 1000) return whole
          // The same key would have found a question that is there.
          this.mayBeThere = false
        }
      } catch (error) {
        signal.throwIfAborted()
        fault = String(error.cause?.message || error.cause?.code || error.message)
      }
      // The deadline of the question holds here as well: afterwards there is nothing to answer.
      if (began - started > this.limit * 1000) throw new InboxError(`The inbox cannot be reached. ${fault}`)
      if (began - started > WORTH_A_WARNING_MS && !warned) {
        this.warn(`The inbox at ${this.requests} takes no request now; trying again. ${fault}`)
        warned = true
      }
      // Soon, because the answer may be there already.
      if (Date.now() - began > CUT_MS) pause = FIRST_PAUSE_MS
      // Not sooner than it was told to; later, so that all who wait do not come at once.
      await sleep(wait + pause * (0.5 + Math.random() / 2), signal)
      this.mayBeThere = true
    }
  }
}

function isPassing(response) {
  // A 429 of mcp-webclient itself is final, and says why, unless it says when to come again.
  return response.status >= 500 || (PASSING.has(response.status) && (saidBy(response) === undefined || isLimit(response)))
}

/** Return whether the inbox itself says that it takes the question later. */
function isLimit(response) {
  return response.status === LIMITED && saidBy(response) !== undefined && response.headers.has("retry-after")
}

/** Return the milliseconds of `Retry-After` (RFC 9110, section 10.2.3); 0 for none, and for a date. */
function retryAfter(response) {
  const given = response.headers.get("retry-after") ?? ""
  return /^\d+$/.test(given) ? Number(given) * 1000 : 0
}

function checked(response) {
  if (response.status >= 400) throw new InboxError(`The inbox answered ${response.status}: ${detailOf(response)}`)
  const request = parsed(response.text)
  if (!request?.id || !request.state) throw new InboxError("This is not the address of mcp-webclient.")
  return request
}

/** Return what mcp-webclient says on why it refuses; undefined if something before it answered, such as a proxy. */
function saidBy(response) {
  return parsed(response.text)?.detail
}

function detailOf(response) {
  return saidBy(response) ?? `HTTP status ${response.status}`
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal.addEventListener("abort", stop, { once: true })
  })
}
