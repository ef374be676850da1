// The adapter of OpenAI Agents, as somebody writes it who compiles with `--strict`.
import { Agent, RunState, tool } from "@openai/agents"
import { inbox } from "mcp-webclient-client"
import { approved, run } from "mcp-webclient-client/openai-agents"
import { z } from "zod"

const ask = inbox("https://inbox.example.com", "mcpweb_...")
const pay = tool({ name: "pay", description: "Send money.", parameters: z.object({ amount: z.number() }), execute: ({ amount }) => `Paid ${amount}` })
const agent = new Agent({ name: "Payer", tools: [approved(ask, pay)] })

export async function paid(stored: string): Promise<string | undefined> {
  const result = await run(ask, agent, "Pay.", { maxTurns: 3, signal: AbortSignal.timeout(1000) })
  // @ts-expect-error: a run that streams cannot wait here.
  await run(ask, agent, "Pay.", { stream: true })
  const again = await run(ask, agent, await RunState.fromString(agent, stored))
  return result.finalOutput ?? again.finalOutput
}
