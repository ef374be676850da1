// Carries what MCP servers ask an agent to the inbox of mcp-webclient, and the person's answers back. No dependencies.
//
// Each question is asked once, however often the network fails; one that the agent no longer waits for is withdrawn;
// nothing is accepted unless the person accepted it.
import { cancelled, InboxError, MESSAGE, REASON, resultOf, TooManyQuestionsError } from "./results.js"

export { InboxError, MESSAGE, REASON, TooManyQuestionsError }

const POLL_SECONDS = 25 // Proxies cut connections that are silent for a minute, and some for half of one.
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
const WORTH_A_WARNING_MS = 2_000 // A restart of the inbox is over before.
const CUT_MS = 5_000 // A request that fails later was a long poll that something cut, and the inbox is there.
const WITHDRAWAL_MS = 5_000
const REFUSED = new Set([403, 409, 413, 422])
const PASSING = new Set([408, 425, 429])
const LIMITED = 429
const SETTLED = 409

/**
 * Return the handler of `elicitation/create` that asks in the inbox at `url`, as the program with this `token`; `post`
 * and `answer` are for questions of the agent's own.
 */
export function inbox(url, token, options = {}) {
  const { label, user, key, timeout, expiresIn = 86_400, fetch = globalThis.fetch, warn = console.warn } = options
  const requests = `${addressOf(url)}/api/v1/requests`
  const limit = Math.min(expiresIn, timeout ?? expiresIn)
  const to = { requests, token: `${token}`.trim(), limit, fetch, warn }
  const questionOf = (params, further = {}) =>
    new Question({ ...to, body: bodyOf(params, limit, { label, user, ...further }), key: further.key ?? key?.(params) })

  async function ask(request, extra = {}) {
    const giveUp = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000)
    // Version 2 of the SDK has the signal in `mcpReq`.
    const signals = [extra.signal, extra.mcpReq?.signal, giveUp].filter(Boolean)
    const question = questionOf(request.params)
    try {
      return await question.answer(AbortSignal.any(signals))
    } catch (error) {
      if (!signals.some((signal) => signal.aborted)) throw error
      const why = giveUp?.aborted ? "The agent stopped waiting." : "The agent cancelled the call."
      // The person may have been first.
      const given = await question.withdraw(why, AbortSignal.timeout(WITHDRAWAL_MS)).catch(() => undefined)
      if (given) return given
      return cancelled(giveUp?.aborted ? `Nobody answered within ${timeout} seconds.` : why)
    }
  }

  ask.post = async (params, further = {}) => {
    const posted = await questionOf(params, further).post(further.signal ?? never())
    if (posted.action) throw new InboxError(posted._meta[REASON])
    return posted.id
  }

  ask.answer = async (id, { signal = never() } = {}) => new Question(to).answerTo(id, signal)

  return ask
}

/** One question: posted with one key until there is an answer, then polled by its id. */
class Question {
  constructor({ requests, token, limit, fetch, warn, body, key }) {
    Object.assign(this, { requests, token, limit, fetch, warn, body, key: key ?? crypto.randomUUID(), id: undefined })
  }

  async answer(signal) {
    const posted = await this.post(signal)
    return posted.action ? posted : this.answerTo(this.id, signal)
  }

  /** Wait until the request with this id is settled. */
  async answerTo(id, signal) {
    let request
    // At least once, also if it was settled before: the inbox counts an answer as fetched by this alone.
    do request = await this.get(id, signal)
    while (request.state === "pending")
    return resultOf(request)
  }

  async withdraw(why, signal) {
    // It may be unknown whether the question arrived: the same key finds it.
    if (this.id === undefined && !this.mayBeThere) return undefined
    if (this.id === undefined) {
      const refused = await this.post(signal)
      if (refused.action) return refused
    }
    const response = await this.send("POST", `/${this.id}/withdraw`, signal, { reason: why })
    return response.status === SETTLED ? resultOf(await this.get(this.id, signal)) : undefined
  }

  /** Put the question to the person, once; return it, or the result of a question that is refused. */
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
    if (REFUSED.has(response.status) && !lacksScope && why) return cancelled(why)
    const { id } = checked(response)
    this.id = id
    return { id }
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

function addressOf(url) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError(`This is not an address of mcp-webclient: ${url}. It begins with https:// or http://.`)
  }
  return `${url}`.replace(/\/+$/, "")
}

function bodyOf(params, limit, { label, user, call, webhook }) {
  const kind = params.mode ?? "form"
  const names = kind === "form" ? ["message", "requestedSchema"] : ["message", "url", "elicitationId"]
  const asked = Object.fromEntries(names.map((name) => [name, params[name]]))
  const whom = typeof user === "string" ? { user_id: user } : { user }
  // What is undefined is not in the JSON.
  return { kind, ...asked, label, call, webhook, ...whom, expires_in: Math.max(1, limit) }
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

function never() {
  return new AbortController().signal
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
