// An agent of Mastra with a scripted model: `pay` waits for a decision. A line of JSON for each run.
//
// `agent.mjs INBOX TOKEN FILE [plain]`: the line `run` starts a run, which is suspended, and goes on after the decision;
// `resume` goes on with the one that FILE names, and the storage beside it has. With `plain`, the framework alone asks, which
// can approve and reject.
import { Mastra } from "@mastra/core"
import { Agent } from "@mastra/core/agent"
import { createTool } from "@mastra/core/tools"
import { LibSQLStore } from "@mastra/libsql"
import { inbox } from "mcp-webclient-client"
import { approved, resume } from "mcp-webclient-client/mastra"
import { readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { z } from "zod"

const [address, token, file, how] = process.argv.slice(2)
const ask = inbox(address, token)
const ran = []

const pay = createTool({
  id: "pay",
  description: "Send money.",
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: how === "plain",
  execute: async ({ amount }) => {
    ran.push(amount)
    return `Paid ${amount}`
  },
})

/** Calls the tool once, then says what came of it. */
const model = {
  specificationVersion: "v2", provider: "scripted", modelId: "scripted", supportedUrls: {},
  async doGenerate({ prompt }) {
    const last = prompt.at(-1)
    const said = last.role === "tool" && last.content[0].output.value
    const content = said
      ? [{ type: "text", text: said }]
      : [{ type: "tool-call", toolCallId: crypto.randomUUID(), toolName: "pay", input: '{"amount": 250}' }]
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    return { content, finishReason: said ? "stop" : "tool-calls", usage, warnings: [] }
  },
}

const tools = { pay: how === "plain" ? pay : approved(ask, pay) }
const agent = new Agent({ id: "payer", name: "Payer", instructions: "Pay.", model, tools })
new Mastra({ agents: { agent }, storage: new LibSQLStore({ id: "runs", url: `file:${file}.db` }), logger: false })

/** Run until the tool waits, and keep where the run can be resumed. */
async function store() {
  const { runId, suspendPayload } = await agent.generate("Pay.")
  writeFileSync(file, JSON.stringify({ runId, suspendPayload }))
}

for await (const line of createInterface({ input: process.stdin })) {
  ran.length = 0
  if (line === "run") await store()
  const result = await resume(ask, agent, JSON.parse(readFileSync(file, "utf-8")))
  console.log(JSON.stringify({ ran, said: result.text }))
}
