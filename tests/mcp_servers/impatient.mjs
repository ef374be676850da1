// A stdio server on the TypeScript SDK, whose questions have a time limit of their own (60 s unless it is set).
// `node tests/mcp_servers/impatient.mjs`, in the folder that has `build/npm`.
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/build/npm/`);
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = require("zod");

const requestedSchema = { type: "object", properties: { name: { type: "string", title: "Name" } } };
const server = new McpServer({ name: "impatient", version: "1.0" });
const limits = { timeout: z.number(), then: z.enum(["fail", "ask", "withdraw"]).default("fail") };

server.registerTool("ask", { inputSchema: limits }, async ({ timeout, then }) => {
  const giveUp = new AbortController();
  if (then === "withdraw") setTimeout(() => giveUp.abort("The flight is gone."), timeout);
  const ask = (message, options) => server.server.elicitInput({ message, requestedSchema }, options);
  try {
    const limit = then === "withdraw" ? { signal: giveUp.signal } : { timeout };
    return { content: [{ type: "text", text: JSON.stringify(await ask("Your name?", limit)) }] };
  } catch (error) {
    if (then !== "ask") throw error;
    return { content: [{ type: "text", text: JSON.stringify(await ask("And now?", {})) }] };
  }
});

await server.connect(new StdioServerTransport());
