/** The key in `_meta` of a result with the sentence on why a question was not answered. */
export declare const REASON: "mcp-webclient/reason"

/** The key in `_meta` of a declining result with the person's message. */
export declare const MESSAGE: "mcp-webclient/message"

/** The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer. */
export declare class InboxError extends Error {
  name: "InboxError" | "TooManyQuestionsError"
}

/** The inbox takes no more questions of this program for now, and says why. No person has seen this one. */
export declare class TooManyQuestionsError extends InboxError {
  name: "TooManyQuestionsError"
}

/** A user by id, or by the names that the user's sign-in has. */
export type User = string | { issuer: string; subject: string } | { issuer: string; email: string }

/** The parameters of `elicitation/create`. */
export interface ElicitParams {
  message: string
  [key: string]: unknown
}

export interface InboxOptions {
  /** What the card quotes as the asker's own word, such as the name of the MCP server. */
  label?: string
  /** Whom to ask, if not the user of the token. */
  user?: User
  /**
   * The idempotency key of a question. Two questions with the same key are one: an agent that asks again after a crash,
   * with a key that it kept, gets the answer that the person gave meanwhile. By default each question has a new one.
   */
  key?: (params: ElicitParams) => string
  /** Seconds after which the agent waits no more; the server gets `cancel`. By default it waits for the deadline. */
  timeout?: number
  /** Seconds for which the person can answer; a day by default. */
  expiresIn?: number
  /** The function that sends requests; by default the global one. */
  fetch?: typeof globalThis.fetch
  /** What is told when the inbox cannot be reached for seconds; `console.warn` by default. */
  warn?: (sentence: string) => void
}

export interface PostOptions {
  label?: string
  user?: User
  key?: string
  /** The tool call that the question is about. */
  call?: { name: string; arguments?: Record<string, unknown> }
  /** What gets the end of the question; `settled` of `mcp-webclient-client/webhooks` verifies that. */
  webhook?: { url: string; secret: string }
  signal?: AbortSignal
}

/** What a person decides: `edit` has other arguments, and `respond` is an answer in the place of the tool. */
export type Verb = "approve" | "edit" | "reject" | "respond"

/** A tool by its name, or what MCP lists of it; the card shows its description and a form of its `inputSchema`. */
export type ProposedTool =
  | string
  | { name: string; title?: string; description?: string; inputSchema?: object; annotations?: object; [key: string]: unknown }

export interface ApproveOptions {
  /** Why the tool is to run. */
  message?: string
  /** What the caller can honour; all by default. The card has no button for the others. */
  allow?: readonly Verb[]
  label?: string
  user?: User
  /** With the same key, the decision is that on the same question, also after a restart. */
  key?: string
  /** Stops waiting: the question is withdrawn, and the decision has no verb. */
  signal?: AbortSignal
}

/** The decision of the person. */
export interface Decision {
  /** Undefined if there is no decision: then nothing may run. */
  readonly verb: Verb | undefined
  /** Only these may run; undefined if nothing may. */
  readonly arguments: Record<string, unknown> | undefined
  /** What the person wrote: why they rejected the call, or the result in the place of that of the tool. */
  readonly message: string
  /** Why there is no decision. */
  readonly reason: string
  /** Computed from the tool and the arguments, as `docs/approvals.md` describes. */
  readonly digest: string
  /** Whether the tool may run, with `arguments`. */
  readonly mayRun: boolean
  /** What to give to the model in the place of a result, if the tool may not run. */
  readonly words: string
}

export interface ElicitResult {
  [key: string]: unknown
  action: "accept" | "decline" | "cancel"
  content?: Record<string, string | number | boolean | string[]>
  _meta?: Record<string, unknown>
}

export interface ElicitRequest {
  params: ElicitParams
}

/** What the SDK gives a handler besides the request: `extra` of version 1, the context of version 2. */
export interface Extra {
  signal?: AbortSignal
  mcpReq?: { signal: AbortSignal }
}

export interface Inbox {
  /** Answer `elicitation/create`. */
  (request: ElicitRequest, extra?: Extra): Promise<ElicitResult>
  /** Ask whether a tool may run with these arguments, and wait for the decision. Throws InboxError. */
  approve(tool: ProposedTool, args: Record<string, unknown>, options?: ApproveOptions): Promise<Decision>
  /** Put a question to the person without waiting, and return its id. Throws InboxError. */
  post(params: ElicitParams, options?: PostOptions): Promise<string>
  /** Wait for the answer to a question that was posted. Throws InboxError, also if secret values are gone. */
  answer(id: string, options?: { signal?: AbortSignal }): Promise<ElicitResult>
}

/** Return the handler of `elicitation/create`; it asks in the inbox at `url`, as the program with this `token`. */
export declare function inbox(url: string, token: string, options?: InboxOptions): Inbox
