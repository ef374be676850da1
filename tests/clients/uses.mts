// Each export of the client package, as somebody writes it who compiles with `--strict`.
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Client as Client2 } from "@modelcontextprotocol/client"
import type { IncomingMessage } from "node:http"
import { inbox, InboxError, MESSAGE, REASON, TooManyQuestionsError, type ApproveOptions, type Decision, type ElicitParams, type ElicitRequest,
  type ElicitResult, type Extra, type Inbox, type InboxOptions, type PostOptions, type ProposedTool, type User, type Verb } from "mcp-webclient-client"
import { settled, WebhookError, type PostHeaders, type Settled } from "mcp-webclient-client/webhooks"

const ada: User = { issuer: "host:chat", subject: "ada" }
const options: InboxOptions = {
  label: "travel", user: ada, timeout: 120, expiresIn: 3600, fetch, warn: (sentence) => console.error(sentence),
  key: (params: ElicitParams) => params.message,
}
const ask: Inbox = inbox("https://inbox.example.com", "mcpweb_...", options)

new Client1({ name: "agent", version: "1" }).setRequestHandler(ElicitRequestSchema, ask)
new Client2({ name: "agent", version: "1" }).setRequestHandler("elicitation/create", ask)

export async function own(request: ElicitRequest, extra: Extra): Promise<string> {
  try {
    const { action, content, _meta }: ElicitResult = await ask(request, extra)
    // @ts-expect-error: an action is one of three.
    if (action === "accepted") return ""
    return `${action} ${content?.["seat"]} ${_meta?.[REASON] ?? _meta?.[MESSAGE]}`
  } catch (error) {
    if (error instanceof TooManyQuestionsError) return "later"
    if (error instanceof InboxError) return error.name
    throw error
  }
}

export async function later(): Promise<ElicitResult> {
  const webhook = { url: "https://agent.example.com/answers", secret: "whsec_..." }
  const further: PostOptions = { webhook, key: "trip-7", user: "u1", call: { name: "book", arguments: { to: "Rome" } } }
  return ask.answer(await ask.post({ message: "Seat?", requestedSchema: { type: "object", properties: {} } }, further))
}

export async function approved(tool: ProposedTool, run: (args: Record<string, unknown>) => string): Promise<string> {
  const allow: Verb[] = ["approve", "edit", "reject"]
  const further: ApproveOptions = { message: "Why", allow, key: "call-7", signal: AbortSignal.timeout(1000), label: "billing" }
  const decision: Decision = await ask.approve(tool, { amount: 250 }, further)
  // @ts-expect-error: nothing may have been decided.
  run(decision.arguments)
  return decision.arguments ? run(decision.arguments) : decision.words
}

export async function received(request: IncomingMessage, body: Buffer): Promise<ElicitResult | undefined> {
  try {
    const headers: PostHeaders = request.headers
    const { id, result }: Settled = settled(body, headers, "whsec_...")
    return result ?? (await ask.answer(id))
  } catch (error) {
    if (error instanceof WebhookError) return undefined
    throw error
  }
}

export async function fetched(request: Request): Promise<Settled> {
  return settled(await request.text(), request.headers, "whsec_...")
}
