// The tool calls of a framework, as the inbox is asked about them, and what a framework can do with a decision.

const ASKED = "mcp-webclient/approval"
const ALL = ["approve", "edit", "reject", "respond"]

/**
 * The ability of each framework to honour decisions: what the card has buttons for, whether another process can go on with
 * the run once the person has decided, and whether the model learns that a person has changed the arguments.
 */
export const CAN = {
  "Mastra": { verbs: ALL, resumes: true, tells: true },
  "OpenAI Agents JS": { verbs: ALL, resumes: true, tells: true },
  "Vercel AI SDK": { verbs: ALL, resumes: true, tells: true },
}

/** The decisions on a tool that does not ask by itself, in frameworks that run no other arguments than the model's. */
export const YES_OR_NO = ["approve", "reject"]

/** Return what the model has to know before it reads the result; "" if its own arguments ran. */
export function noteOn(name, args, decision) {
  if (!decision.mayRun || same(decision.arguments, args)) return ""
  const ran = JSON.stringify(decision.arguments)
  return `A person changed the arguments of this call before it ran. ${name} ran with exactly ${ran}. Do not call it again with your own.`
}

/** Return the result of a tool with a note before it. */
export function withNote(note, result) {
  if (!note) return result
  return typeof result === "string" ? `${note}\n\n${result}` : { note, result }
}

/** Return what a tool returns that ran, for one that may have a function which shows its results to the model. */
export function resultOf(tool, note, result) {
  return note && tool.toModelOutput ? { [ASKED]: note, result } : withNote(note, result)
}

/** Return what such a tool returns in the place of a result. */
export function answerOf(tool, words) {
  return tool.toModelOutput ? { [ASKED]: words } : words
}

/** Return an output as the function `show` of the tool shows it to the model, after what the model has to know. */
export async function shownOutput(output, show) {
  const text = output?.[ASKED]
  if (text === undefined) return show(output)
  if (!("result" in output)) return { type: "text", value: text }
  const { type, value } = await show(output.result)
  const parts = type === "content" ? value : [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]
  return { type: "content", value: [{ type: "text", text }, ...parts] }
}

/** Return whether two values are the same JSON; the order of keys does not count. */
export function same(one, other) {
  return canonical(one) === canonical(other)
}

function canonical(value) {
  return JSON.stringify(value, (_key, each) =>
    each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each)
}
