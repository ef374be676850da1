// OpenAI Agents: `new Agent({ tools: [approved(ask, tool)] })` and `await run(ask, agent, input)`.
//
// The framework refuses changed arguments, so the tool itself asks, and runs with those of the decision. A run that was
// stored with its interruptions goes on in another process: `await run(ask, agent, state)`.
import { run as runAgent, tool as functionTool } from "@openai/agents"
import { CAN, noteOn, withNote, YES_OR_NO } from "./calls.js"

const asking = new WeakSet()

/** The framework knows by the function itself that it always needs approval, which holds for stored runs as well. */
const { needsApproval } = functionTool({
  name: "always", description: "", strict: false, needsApproval: true, execute: () => "",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
})

/** Return the function tool as one that waits for approval, and runs only with the arguments of a decision. */
export function approved(ask, tool) {
  if (tool.type !== "function") throw new TypeError(`${tool.name} is not a function tool, so nobody can be asked before it runs.`)
  const invoke = (context, raw, details) => invokeApproved(ask, tool, context, raw, details)
  // Without a limit, which would count the time of the person.
  const asks = { ...tool, invoke, needsApproval, timeoutMs: undefined }
  asking.add(asks)
  return asks
}

/**
 * Run the agent with an input or a stored state, and return its last result. Other tools that wait for approval, such as
 * those of MCP servers, are asked about without an edit.
 */
export async function run(ask, agent, given, options = {}) {
  if (options.stream) throw new TypeError("A run that streams cannot wait for approvals here.")
  let result = await runAgent(agent, given, options)
  while (result.interruptions.length) {
    const { state, interruptions } = result
    await Promise.all(interruptions.map((each) => settle(ask, state, each, options.signal)))
    result = await runAgent(agent, state, options)
  }
  return result
}

async function invokeApproved(ask, tool, context, raw, details) {
  const args = JSON.parse(raw || "{}")
  const { name, description, parameters: inputSchema } = tool
  const asked = { allow: CAN["OpenAI Agents JS"].verbs, key: details?.toolCall?.callId, signal: details?.signal }
  const decision = await ask.approve({ name, description, inputSchema }, args, asked)
  if (!decision.mayRun) return decision.words
  const note = noteOn(name, args, decision)
  return withNote(note, await tool.invoke(context, note ? JSON.stringify(decision.arguments) : raw, details))
}

async function settle(ask, state, interruption, signal) {
  // The tool itself asks before it runs.
  if (asksByItself(interruption)) return state.approve(interruption)
  const { name, rawItem } = interruption
  const decision = await ask.approve(name, argumentsOf(rawItem), { allow: YES_OR_NO, key: rawItem.callId ?? rawItem.id, signal })
  if (decision.mayRun) state.approve(interruption)
  else state.reject(interruption, { message: decision.words })
}

function asksByItself({ agent, name }) {
  const tools = agent.tools.filter((tool) => tool.name === name)
  return tools.length > 0 && tools.every((tool) => asking.has(tool))
}

/** Return all that runs: tools such as a shell have no arguments, and run what the item says. */
function argumentsOf({ type, providerData, ...item }) {
  return typeof item.arguments === "string" ? JSON.parse(item.arguments || "{}") : item
}
