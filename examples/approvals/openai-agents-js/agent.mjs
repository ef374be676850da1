// An agent of OpenAI Agents in JavaScript with a scripted model: `pay` waits for a decision. A line of JSON for each run.
//
// `agent.mjs INBOX TOKEN FILE [plain]`: the line `run` starts a run, which ends with its interruptions, and goes on after the
// decision; `resume` goes on with the one that FILE keeps. With `plain`, the framework alone asks, which can approve and reject.
import { Agent, run as start, RunState, setTracingDisabled, tool, Usage } from "@openai/agents"
import { inbox } from "mcp-webclient-client"
import { approved, run } from "mcp-webclient-client/openai-agents"
import { readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { z } from "zod"

const [address, token, file, how] = process.argv.slice(2)
const ask = inbox(address, token)
const ran = []

const pay = tool({
  name: "pay",
  description: "Send money.",
  parameters: z.object({ amount: z.number() }),
  needsApproval: how === "plain",
  execute: async ({ amount }) => {
    ran.push(amount)
    return `Paid ${amount}`
  },
})

/** Calls the tool once, then says what came of it. */
const model = {
  async getResponse({ input }) {
    const last = input.at(-1)
    const output = last.type === "function_call_result"
      ? [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: last.output.text }] }]
      : [{ type: "function_call", callId: crypto.randomUUID(), name: "pay", status: "completed", arguments: '{"amount": 250}' }]
    return { usage: new Usage({}), output }
  },
}

setTracingDisabled(true)
const agent = new Agent({ name: "Payer", model, tools: [how === "plain" ? pay : approved(ask, pay)] })

for await (const line of createInterface({ input: process.stdin })) {
  ran.length = 0
  // Keep the run, which waits for the tool.
  if (line === "run") writeFileSync(file, (await start(agent, "Pay.")).state.toString())
  const result = await run(ask, agent, await RunState.fromString(agent, readFileSync(file, "utf-8")))
  console.log(JSON.stringify({ ran, said: result.finalOutput }))
}
