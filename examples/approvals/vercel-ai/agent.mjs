// An agent of the Vercel AI SDK with a scripted model: `pay` waits for a decision. A line of JSON for each run.
//
// `agent.mjs INBOX TOKEN FILE [HOW]`: the line `run` starts a run, whose messages FILE keeps, and goes on after the decision;
// `resume` goes on with those that FILE keeps. HOW is `waiting`, where the tool waits inside the run and nothing is kept, or
// `plain`, where the framework alone asks, which can approve and reject.
import { ToolLoopAgent, tool } from "ai"
import { inbox } from "mcp-webclient-client"
import { approvals, run } from "mcp-webclient-client/vercel-ai"
import { readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { z } from "zod"

const [address, token, file, how] = process.argv.slice(2)
const ask = inbox(address, token)
const ran = []

const pay = tool({
  description: "Send money.",
  inputSchema: z.object({ amount: z.number() }),
  execute: async ({ amount }) => {
    ran.push(amount)
    return `Paid ${amount}`
  },
})

/** Calls the tool once, then says what came of it. */
const model = {
  specificationVersion: "v4", provider: "scripted", modelId: "scripted", supportedUrls: {},
  async doGenerate({ prompt }) {
    const last = prompt.at(-1)
    const said = last.role === "tool" && last.content.find((part) => part.type === "tool-result").output
    const content = said
      ? [{ type: "text", text: said.value ?? said.reason }]
      : [{ type: "tool-call", toolCallId: crypto.randomUUID(), toolName: "pay", input: '{"amount": 250}' }]
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    return { content, finishReason: { unified: said ? "stop" : "tool-calls" }, usage, warnings: [] }
  },
}

const asked = how === "plain" ? { tools: { pay }, toolApproval: { pay: "user-approval" } } : approvals(ask, { pay })
const agent = new ToolLoopAgent({ model, tools: asked.tools, ...(how !== "waiting" && { toolApproval: asked.toolApproval }) })

/** Run until the tool waits, and keep the messages. */
async function store() {
  const start = { role: "user", content: "Pay." }
  const { responseMessages } = await agent.generate({ messages: [start] })
  writeFileSync(file, JSON.stringify([start, ...responseMessages]))
}

for await (const line of createInterface({ input: process.stdin })) {
  ran.length = 0
  if (line === "run" && how !== "waiting") await store()
  const given = how === "waiting" ? "Pay." : JSON.parse(readFileSync(file, "utf-8"))
  const { result } = await run(ask, agent, given)
  console.log(JSON.stringify({ ran, said: result.text }))
}
