// Carries what MCP servers ask an agent to the inbox of mcp-webclient, and the person's answers back. No dependencies.
//
// Each question is asked once, however often the network fails; one that the agent no longer waits for is withdrawn;
// nothing is accepted unless the person accepted it, and no tool may run unless a person decided so.
import { decisionOf, proposalOf } from "./approvals.js"
import { Question } from "./question.js"
import { InboxError, MESSAGE, REASON, resultOf, TooManyQuestionsError } from "./results.js"

export { InboxError, MESSAGE, REASON, TooManyQuestionsError }

const WITHDRAWAL_MS = 5_000

/**
 * Return the handler of `elicitation/create` that asks in the inbox at `url`, as the program with this `token`; `post`
 * and `answer` are for questions of the agent's own, and `approve` for tools that a person decides on.
 */
export function inbox(url, token, options = {}) {
  const { label, user, key, timeout, expiresIn = 86_400, fetch = globalThis.fetch, warn = console.warn } = options
  const requests = `${addressOf(url)}/api/v1/requests`
  const limit = Math.min(expiresIn, timeout ?? expiresIn)
  const to = { requests, token: `${token}`.trim(), limit, fetch, warn }
  const questionOf = (params, further = {}) =>
    new Question({ ...to, body: bodyOf(params, limit, { label, user, ...further }), key: further.key ?? key?.(params) })

  /** Wait for the settled request of a question, which is withdrawn when the agent stops waiting. */
  async function end(question, ...given) {
    const giveUp = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000)
    const signals = [...given, giveUp].filter(Boolean)
    try {
      return await question.end(AbortSignal.any(signals))
    } catch (error) {
      if (!signals.some((signal) => signal.aborted)) throw error
      const why = giveUp?.aborted ? "The agent stopped waiting." : "The agent cancelled the call."
      // The person may have been first.
      const settled = await question.withdraw(why, AbortSignal.timeout(WITHDRAWAL_MS)).catch(() => undefined)
      return settled ?? { state: "withdrawn", reason: giveUp?.aborted ? `Nobody answered within ${timeout} seconds.` : why }
    }
  }

  async function ask(request, extra = {}) {
    // Version 2 of the SDK has the signal in `mcpReq`.
    return resultOf(await end(questionOf(request.params), extra.signal, extra.mcpReq?.signal))
  }

  ask.approve = async (tool, args, further = {}) => {
    const body = proposalOf(tool, args, limit, { label, user, ...further })
    return decisionOf(await end(new Question({ ...to, body, key: further.key }), further.signal))
  }

  ask.post = async (params, further = {}) => {
    const posted = await questionOf(params, further).post(further.signal ?? never())
    if (posted.id === undefined) throw new InboxError(posted.reason)
    return posted.id
  }

  ask.answer = async (id, { signal = never() } = {}) => resultOf(await new Question(to).settled(id, signal))

  return ask
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

function never() {
  return new AbortController().signal
}
