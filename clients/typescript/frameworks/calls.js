// The tool calls of a framework, as the inbox is asked about them, and what a framework can do with a decision.

const ALL = ["approve", "edit", "reject", "respond"]

/**
 * The ability of each framework to honour decisions: what the card has buttons for, whether another process can go on with
 * the run once the person has decided, and whether the model learns that a person has changed the arguments.
 */
export const CAN = {
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

/** Return whether two values are the same JSON; the order of keys does not count. */
export function same(one, other) {
  return canonical(one) === canonical(other)
}

function canonical(value) {
  return JSON.stringify(value, (_key, each) =>
    each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each)
}
