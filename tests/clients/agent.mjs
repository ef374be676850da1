// An agent on the TypeScript SDK: `agent.mjs VERSION INBOX TOKEN OPTIONS TOOL ARGUMENTS COMMAND...` calls a tool of the
// server that COMMAND starts, and prints the text of its result. VERSION is `1`, or `legacy` or `auto` of version 2.
// It cancels the call at the end of standard input.
import { inbox } from "mcp-webclient-client"

const [version, address, token, options, tool, args, command, ...rest] = process.argv.slice(2)
const { key, ...given } = JSON.parse(options)
const ask = inbox(address, token, { ...given, key: key && (() => key) })
const me = { name: "agent", version: "1" }
const capabilities = { elicitation: { form: {}, url: {} } }

async function client_1() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js")
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const client = new Client(me, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, ask)
  await client.connect(new StdioClientTransport({ command, args: rest }))
  return { client, call: (request, options) => client.callTool(request, undefined, options) }
}

async function client_2(mode) {
  const { Client } = await import("@modelcontextprotocol/client")
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
  const client = new Client(me, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler("elicitation/create", ask)
  await client.connect(new StdioClientTransport({ command, args: rest }))
  return { client, call: (request, options) => client.callTool(request, options) }
}

const { client, call } = await (version === "1" ? client_1() : client_2(version))
const cancelled = new AbortController()
process.stdin.on("end", () => cancelled.abort()).resume()
try {
  const result = await call({ name: tool, arguments: JSON.parse(args) }, { timeout: 3_600_000, signal: cancelled.signal })
  console.log(result.content[0].text)
} catch (error) {
  console.log(String(error))
}
await client.close()
process.exit()
