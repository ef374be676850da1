// The adapter of the Vercel AI SDK, as somebody writes it who compiles with `--strict`.
import { generateText, tool, ToolLoopAgent, type LanguageModel, type ModelMessage } from "ai"
import { inbox } from "mcp-webclient-client"
import { approvals, run } from "mcp-webclient-client/vercel-ai"
import { z } from "zod"

const ask = inbox("https://inbox.example.com", "mcpweb_...")
const pay = tool({ inputSchema: z.object({ amount: z.number() }), execute: async ({ amount }) => `Paid ${amount}` })
const search = tool({ inputSchema: z.object({ text: z.string() }), execute: async ({ text }) => text })
const asked = approvals(ask, { pay })

export async function paid(model: LanguageModel, stored: ModelMessage[]): Promise<string> {
  const agent = new ToolLoopAgent({ model, ...asked, tools: { ...asked.tools, search } })
  const { result, messages } = await run(ask, agent, stored, { abortSignal: AbortSignal.timeout(1000) })
  // @ts-expect-error: there is no such tool.
  asked.toolApproval.search
  const { result: again } = await run(ask, new ToolLoopAgent({ model, ...asked }), messages)
  const waiting = await generateText({ model, tools: asked.tools, prompt: "Pay." })
  return result.text + again.text + waiting.text
}
