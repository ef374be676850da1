// What comes back from the inbox, as results of MCP.

/** The key in `_meta` of a result with the sentence on why a question was not answered. */
export const REASON = "mcp-webclient/reason"

/** The key in `_meta` of a declining result with the person's message. */
export const MESSAGE = "mcp-webclient/message"

const ACTIONS = { accepted: "accept", waiting: "accept", completed: "accept", declined: "decline" }

/** The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer. */
export class InboxError extends Error {
  name = "InboxError"
}

/** The inbox takes no more questions of this program for now, and says why. No person has seen this one. */
export class TooManyQuestionsError extends InboxError {
  name = "TooManyQuestionsError"
}

/** Return the result of a settled request. */
export function resultOf(request) {
  const action = ACTIONS[request.state]
  if (action === undefined) return cancelled(request.reason)
  if (action === "decline") return request.message ? { action, _meta: { [MESSAGE]: request.message } } : { action }
  // Never an accepted form with holes in it.
  if (request.withheld) throw new InboxError("The answer was fetched before, and its secret values are not kept.")
  return request.content ? { action, content: request.content } : { action }
}

/** Return the result of a question that nobody answered. */
export function cancelled(reason) {
  return reason ? { action: "cancel", _meta: { [REASON]: reason } } : { action: "cancel" }
}
