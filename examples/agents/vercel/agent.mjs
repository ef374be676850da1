// An agent of Vercel's AI SDK: each line of its input is a task.

import { createMCPClient } from '@ai-sdk/mcp'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ToolLoopAgent } from 'ai'
import { createInterface } from 'node:readline'

const { MCP_URL, MCP_TOKEN, OPENAI_BASE_URL } = process.env
const headers = { Authorization: `Bearer ${MCP_TOKEN}` }
const trips = await createMCPClient({ transport: { type: 'http', url: MCP_URL, headers } })
const model = createOpenAICompatible({ name: 'scripted', baseURL: OPENAI_BASE_URL }).chatModel('scripted')
const agent = new ToolLoopAgent({ model, tools: await trips.tools() })
for await (const task of createInterface({ input: process.stdin })) {
  console.log((await agent.generate({ prompt: task })).text)
}
await trips.close()
