// Vercel AI SDK: `new ToolLoopAgent({ model, ...approvals(ask, tools) })` and `await run(ask, agent, messages)`.
//
// The framework runs no changed arguments, so the tool itself asks, and runs with those of the decision. Messages that were
// stored with a request for approval go on in another process.
import { asSchema } from "ai"
import { answerOf, CAN, noteOn, resultOf, same, shownOutput, YES_OR_NO } from "./calls.js"

const asking = new WeakSet()

/** Return the settings of an agent whose tools wait for approval, and run only with the arguments of a decision. */
export function approvals(ask, tools) {
  const names = Object.keys(tools)
  return {
    tools: Object.fromEntries(names.map((name) => [name, approved(ask, name, tools[name])])),
    toolApproval: Object.fromEntries(names.map((name) => [name, "user-approval"])),
  }
}

/**
 * Run the agent with a text or with messages, and return its last result and all messages. Other tools that wait for
 * approval are asked about without an edit.
 */
export async function run(ask, agent, given, options = {}) {
  let messages = typeof given === "string" ? [{ role: "user", content: given }] : given
  for (;;) {
    const open = openRequests(messages)
    const content = await Promise.all(open.map((request) => responseTo(ask, agent.tools, request, options.abortSignal)))
    if (content.length) messages = [...messages, { role: "tool", content }]
    const result = await agent.generate({ ...options, messages })
    messages = [...messages, ...result.responseMessages]
    if (!openRequests(messages).length) return { result, messages }
  }
}

function approved(ask, name, tool) {
  if (!tool.execute) throw new TypeError(`The tool ${name} has no execute, so nobody can be asked before it runs.`)
  const asks = { ...tool, execute: (input, options) => execute(ask, name, tool, input, options) }
  if (tool.toModelOutput) asks.toModelOutput = (given) => shownOutput(given.output, (output) => tool.toModelOutput({ ...given, output }))
  asking.add(asks)
  return asks
}

async function execute(ask, name, tool, input, options) {
  const { title, description } = tool
  const schema = asSchema(tool.inputSchema)
  const listed = { name, title, inputSchema: await schema.jsonSchema, ...(typeof description === "string" && { description }) }
  const asked = { allow: CAN["Vercel AI SDK"].verbs, key: options.toolCallId, signal: options.abortSignal }
  const decision = await ask.approve(listed, input, asked)
  if (decision.verb === "respond") return answerOf(tool, decision.words)
  // The model gets it as the error of the tool.
  if (!decision.mayRun) throw new Error(decision.words)
  const note = noteOn(name, input, decision)
  if (!note) return last(tool.execute(input, options))
  return resultOf(tool, note, await last(tool.execute(await valueOf(schema, decision.arguments), options)))
}

/** Return changed arguments as the tool takes them. Throws if its schema would make others of them. */
async function valueOf(schema, args) {
  const checked = schema.validate ? await schema.validate(args) : { success: true, value: args }
  if (!checked.success) throw checked.error
  if (!same(checked.value, args)) throw new Error("The schema of the tool changes these arguments, so it did not run.")
  return checked.value
}

/** Return the result of a tool, which may give intermediate ones before. */
async function last(results) {
  if (!results?.[Symbol.asyncIterator]) return results
  let found
  for await (found of results);
  return found
}

/** Return the requests for approval that nobody has answered, each with its call. */
function openRequests(messages) {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content))
  const ofType = (type) => parts.filter((part) => part.type === type)
  const answered = new Set(ofType("tool-approval-response").map((part) => part.approvalId))
  const calls = new Map(ofType("tool-call").map((part) => [part.toolCallId, part]))
  return ofType("tool-approval-request")
    .filter((part) => !part.isAutomatic && !answered.has(part.approvalId))
    .map(({ approvalId, toolCallId }) => ({ approvalId, ...calls.get(toolCallId) }))
}

async function responseTo(ask, tools, { approvalId, toolName, toolCallId, input }, signal) {
  const response = { type: "tool-approval-response", approvalId }
  // The tool itself asks before it runs.
  if (asking.has(tools[toolName])) return { ...response, approved: true }
  const decision = await ask.approve(toolName, input, { allow: YES_OR_NO, key: toolCallId, signal })
  return decision.mayRun ? { ...response, approved: true } : { ...response, approved: false, reason: decision.words }
}
