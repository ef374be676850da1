// An agent on the TypeScript SDK, whose packages are in $1: `agent.mjs PACKAGES INBOX TOKEN OPTIONS TOOL ARGUMENTS COMMAND...`
// calls a tool of the server that COMMAND starts, and prints the text of its result. It cancels the call at the end of
// standard input.
import { inbox } from "../../clients/typescript/index.js"

const [packages, address, token, options, tool, args, command, ...rest] = process.argv.slice(2)
const sdk = (path) => import(`${packages}/@modelcontextprotocol/sdk/dist/esm/${path}`)
const { Client } = await sdk("client/index.js")
const { StdioClientTransport } = await sdk("client/stdio.js")
const { ElicitRequestSchema } = await sdk("types.js")

const client = new Client({ name: "agent", version: "1" }, { capabilities: { elicitation: { form: {}, url: {} } } })
client.setRequestHandler(ElicitRequestSchema, inbox(address, token, JSON.parse(options)))
await client.connect(new StdioClientTransport({ command, args: rest }))
const cancelled = new AbortController()
process.stdin.on("end", () => cancelled.abort()).resume()
try {
  const result = await client.callTool({ name: tool, arguments: JSON.parse(args) }, undefined, {
    timeout: 3_600_000, signal: cancelled.signal,
  })
  console.log(result.content[0].text)
} catch (error) {
  console.log(String(error))
}
await client.close()
process.exit()
