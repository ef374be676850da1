// Mastra: `new Agent({ tools: { pay: approved(ask, pay) } })` and `await run(ask, agent, input)`.
//
// The framework runs no changed arguments, so the tool itself asks, and runs with those of the decision. A run that a
// storage keeps goes on in another process: `await resume(ask, agent, { runId, suspendPayload })`.
import { answerOf, CAN, noteOn, resultOf, shownOutput, YES_OR_NO } from "./calls.js"

const asking = new WeakSet()

/** Return the tool as one that waits for approval, and runs only with the arguments of a decision. */
export function approved(ask, tool) {
  if (!tool.execute) throw new TypeError(`The tool ${tool.id} has no execute, so nobody can be asked before it runs.`)
  const asks = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool)
  const execute = (input, context) => executeApproved(ask, tool, input, context)
  Object.assign(asks, { execute, requireApproval: true, needsApprovalFn: undefined })
  if (tool.toModelOutput) asks.toModelOutput = (output) => shownOutput(output, (own) => tool.toModelOutput(own))
  asking.add(asks)
  return asks
}

/** Run the agent until nothing waits for approval, and return its last result. */
export async function run(ask, agent, given, options = {}) {
  return resume(ask, agent, await agent.generate(given, options), options)
}

/**
 * Go on with a suspended run, which has `runId` and `suspendPayload`, and return its last result: one that a tool has
 * suspended itself is left to the caller. Other tools that wait for approval are asked about without an edit.
 */
export async function resume(ask, agent, suspended, options = {}) {
  let result = suspended
  while (waitsForApproval(result)) result = await goOn(ask, agent, result, options)
  return result
}

async function executeApproved(ask, tool, input, context) {
  const { id: name, title, description, inputSchema, mcp } = tool
  const schema = inputSchema?.["~standard"].jsonSchema.input({ target: "draft-07" })
  const listed = { name, title, description, inputSchema: schema, annotations: mcp?.annotations }
  const asked = { allow: CAN.Mastra.verbs, key: context?.agent?.toolCallId, signal: context?.abortSignal }
  const decision = await ask.approve(listed, input, asked)
  if (decision.verb === "respond") return answerOf(tool, decision.words)
  // The model gets it as the error of the tool.
  if (!decision.mayRun) throw new Error(decision.words)
  const note = noteOn(name, input, decision)
  return resultOf(tool, note, await tool.execute(note ? decision.arguments : input, context))
}

function waitsForApproval({ suspendPayload }) {
  // A tool that suspends itself has a payload of its own in it.
  return suspendPayload?.toolCallId !== undefined && suspendPayload.suspendPayload === undefined
}

async function goOn(ask, agent, { runId, suspendPayload: { toolCallId, toolName, args } }, options) {
  const call = { ...options, runId, toolCallId }
  const tools = Object.assign({}, await agent.listTools(), ...Object.values(options.toolsets ?? {}))
  // The tool itself asks before it runs.
  if (asking.has(tools[toolName])) return agent.approveToolCallGenerate(call)
  const asked = { allow: YES_OR_NO, key: toolCallId, signal: options.abortSignal }
  const decision = await ask.approve(toolName, args, asked)
  if (decision.mayRun) return agent.approveToolCallGenerate(call)
  return agent.declineToolCallGenerate({ ...call, reason: decision.words })
}
