// Carries what MCP servers ask an agent to the inbox of mcp-webclient, and the person's answers back. No dependencies.
//
// Each question is asked once, however often the network fails; one that the agent no longer waits for is withdrawn;
// nothing is accepted unless the person accepted it.

/** The key in `_meta` of a result with the sentence on why a question was not answered. */
export const REASON = "mcp-webclient/reason"

const POLL_SECONDS = 50 // Proxies close connections that are silent for a minute.
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
const WITHDRAWAL_MS = 5_000
const REFUSED = new Set([403, 409, 413, 422, 429])
const SETTLED = 409
const ACTIONS = { accepted: "accept", waiting: "accept", completed: "accept", declined: "decline" }

/** The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer. */
export class InboxError extends Error {
  name = "InboxError"
}

/** Return the handler of `elicitation/create` that asks in the inbox at `url`, as the program with this `token`. */
export function inbox(url, token, { label, timeout, expiresIn = 86_400, fetch = globalThis.fetch } = {}) {
  const requests = `${url.replace(/\/+$/, "")}/api/v1/requests`
  const limit = Math.min(expiresIn, timeout ?? expiresIn)
  return async function ask(request, extra = {}) {
    const giveUp = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000)
    const signals = [extra.signal, giveUp].filter(Boolean)
    const question = new Question({ requests, token, limit, fetch, body: bodyOf(request.params, label, limit) })
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
}

/** One question: posted with a key of its own until there is an answer, then polled by its id. */
class Question {
  constructor({ requests, token, limit, fetch, body }) {
    Object.assign(this, { requests, token, limit, fetch, body, key: crypto.randomUUID(), id: undefined })
  }

  async answer(signal) {
    const posted = await this.post(signal)
    if (posted.action) return posted
    let request = posted
    while (request.state === "pending") request = await this.get(signal)
    return resultOf(request)
  }

  async withdraw(why, signal) {
    // It may be unknown whether the question arrived: the same key finds it.
    if (this.id === undefined) {
      const refused = await this.post(signal)
      if (refused.action) return refused
    }
    const response = await this.send("POST", `/${this.id}/withdraw`, signal, { reason: why })
    return response.status === SETTLED ? resultOf(await this.get(signal)) : undefined
  }

  async post(signal) {
    const response = await this.send("POST", "", signal, this.body)
    const lacksScope = (response.headers.get("www-authenticate") ?? "").includes("insufficient_scope")
    if (REFUSED.has(response.status) && !lacksScope) return cancelled(detailOf(response))
    const request = await checked(response)
    this.id = request.id
    return request
  }

  async get(signal) {
    return checked(await this.send("GET", `/${this.id}?wait=${POLL_SECONDS}`, signal))
  }

  /** Send until there is a response that is not a fault of the network or of a restart. */
  async send(method, path, signal, body) {
    const headers = { Authorization: `Bearer ${this.token}` }
    if (body) headers["Content-Type"] = "application/json"
    if (body === this.body) headers["Idempotency-Key"] = this.key
    const started = Date.now()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      let fault
      try {
        const patience = AbortSignal.timeout((POLL_SECONDS + 15) * 1000)
        const response = await this.fetch(this.requests + path, {
          method, headers, body: body && JSON.stringify(body), signal: AbortSignal.any([signal, patience]),
        })
        // Read here: the connection may break in the middle of the body.
        const text = await response.text()
        const whole = { status: response.status, headers: response.headers, text }
        if (response.status < 500) return whole
        fault = detailOf(whole)
      } catch (error) {
        signal.throwIfAborted()
        fault = String(error.cause?.message ?? error.message)
      }
      // The deadline of the question holds here as well: afterwards there is nothing to answer.
      if (Date.now() - started > this.limit * 1000) throw new InboxError(`The inbox cannot be reached. ${fault}`)
      await sleep(pause * (0.5 + Math.random() / 2), signal)
    }
  }
}

function bodyOf(params, label, limit) {
  const kind = params.mode ?? "form"
  const names = kind === "form" ? ["message", "requestedSchema"] : ["message", "url", "elicitationId"]
  const given = Object.fromEntries(names.filter((name) => params[name] !== undefined).map((name) => [name, params[name]]))
  return { kind, ...given, ...(label === undefined ? {} : { label }), expires_in: Math.max(1, limit) }
}

function resultOf(request) {
  const action = ACTIONS[request.state]
  if (action === undefined) return cancelled(request.reason)
  if (action === "decline") return { action }
  // Never an accepted form with holes in it.
  if (request.withheld) throw new InboxError("The answer was fetched before, and its secret values are not kept.")
  return request.content ? { action, content: request.content } : { action }
}

function cancelled(reason) {
  return reason ? { action: "cancel", _meta: { [REASON]: reason } } : { action: "cancel" }
}

function checked(response) {
  if (response.status >= 400) throw new InboxError(`The inbox answered ${response.status}: ${detailOf(response)}`)
  const request = parsed(response.text)
  if (!request?.id || !request.state) throw new InboxError("This is not the address of mcp-webclient.")
  return request
}

function detailOf(response) {
  return parsed(response.text)?.detail ?? `HTTP status ${response.status}`
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
