/** The key in `_meta` of a result with the sentence on why a question was not answered. */
export declare const REASON: "mcp-webclient/reason"

/** The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer. */
export declare class InboxError extends Error {}

export interface InboxOptions {
  /** What the card quotes as the asker's own word, such as the name of the MCP server. */
  label?: string
  /** Seconds after which the agent waits no more; the server gets `cancel`. By default it waits for the deadline. */
  timeout?: number
  /** Seconds for which the person can answer; a day by default. */
  expiresIn?: number
  /** The function that sends requests; by default the global one. */
  fetch?: typeof globalThis.fetch
}

export interface ElicitResult {
  [key: string]: unknown
  action: "accept" | "decline" | "cancel"
  content?: Record<string, string | number | boolean | string[]>
  _meta?: Record<string, unknown>
}

export interface ElicitRequest {
  params: { message: string; [key: string]: unknown }
}

/** Return the handler of `elicitation/create`: `client.setRequestHandler(ElicitRequestSchema, inbox(url, token))`. */
export declare function inbox(
  url: string,
  token: string,
  options?: InboxOptions,
): (request: ElicitRequest, extra?: { signal?: AbortSignal }) => Promise<ElicitResult>
