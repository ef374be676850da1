// Approvals: a person decides on exactly the tool call that runs, before it runs.
import { InboxError } from "./results.js"

const NO_DECISION = "No person decided on this call, so it did not run."
const SHOWN = ["name", "title", "description", "inputSchema", "annotations"]

/** Return the body of the question whether a tool may run with these arguments. */
export function proposalOf(tool, args, limit, { label, user, message, allow }) {
  const listed = typeof tool === "string" ? { name: tool } : tool
  const shown = Object.fromEntries(SHOWN.map((name) => [name, listed[name]]))
  const whom = typeof user === "string" ? { user_id: user } : { user }
  // What is undefined is not in the JSON.
  return { kind: "approval", tool: shown, arguments: args, message, allow, label, ...whom, expires_in: Math.max(1, limit) }
}

/** Return the decision on a settled request. Throws InboxError if secret arguments are gone. */
export function decisionOf(request) {
  const given = request.decision
  if (!given) return new Decision({ reason: request.reason })
  // Never a call with holes in it.
  if (given.arguments && request.withheld) {
    throw new InboxError("The decision was fetched before, and its secret values are not kept.")
  }
  return new Decision(given)
}

/** The decision of the person; without a `verb` there is none, and nothing may run. */
class Decision {
  constructor({ verb, arguments: args, message = "", reason = "", digest = "" }) {
    Object.assign(this, { verb, arguments: args ?? undefined, message, reason, digest })
  }

  get mayRun() {
    return this.arguments !== undefined
  }

  get words() {
    if (this.verb === "respond") return this.message
    if (this.verb === "reject") return `A person declined this call, so it did not run. ${this.message}`.trim()
    return this.reason || NO_DECISION
  }
}
