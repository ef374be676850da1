// The adapter of Mastra, as somebody writes it who compiles with `--strict`.
import { Agent } from "@mastra/core/agent"
import { createTool } from "@mastra/core/tools"
import { inbox } from "mcp-webclient-client"
import { approved, resume, run } from "mcp-webclient-client/mastra"
import { z } from "zod"

const ask = inbox("https://inbox.example.com", "mcpweb_...")
const pay = createTool({ id: "pay", description: "Send money.", inputSchema: z.object({ amount: z.number() }), execute: async ({ amount }) => `Paid ${amount}` })
const agent = new Agent({ id: "payer", name: "Payer", instructions: "Pay.", model: "openai/gpt-5", tools: { pay: approved(ask, pay) } })

export async function paid(): Promise<string> {
  const { runId, suspendPayload } = await agent.generate("Pay.")
  const stored = await resume(ask, agent, { runId, suspendPayload }, { maxSteps: 3 })
  // @ts-expect-error: a run has an input.
  await run(ask, agent)
  return stored.text + (await run(ask, agent, "Pay.")).text
}
