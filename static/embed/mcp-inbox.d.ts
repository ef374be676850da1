/** Why the frame needs a token: it begins, its session ends soon, or a request was refused. */
export type TokenReason = "start" | "renew" | "refused"

/** What the element shows; docs/embedding.md says what each means. */
export type InboxState = "loading" | "ready" | "unreachable" | "refused" | "signed-out"

/** The events of `<mcp-inbox>`. None has anything of a question or an answer in it. */
export interface McpInboxEventMap {
  /** The frame shows the inbox of the person, for the first time or again. */
  ready: CustomEvent<Record<string, never>>
  /** The element shows something else now. */
  state: CustomEvent<{ state: InboxState }>
  /** The number of questions that wait has changed. */
  pending: CustomEvent<{ count: number }>
  /** A question was answered, or ended in another way. */
  settled: CustomEvent<{ id: string; action: "accept" | "decline" | "cancel" | (string & {}) }>
  /** The state of a call has changed. */
  call: CustomEvent<{ id: string; state: string }>
  /** The frame asks for a token; `getToken` is called for it. */
  "token-needed": CustomEvent<{ why: TokenReason }>
  /** Something in the page covers, fades or distorts a question; once for each question. */
  covered: CustomEvent<Record<string, never>>
  /** The person pressed Escape outside of a field, in another display than the badge. */
  leave: CustomEvent<Record<string, never>>
  /** Something went wrong: "src", "token", "unreachable", "refused", "not-visible", "contrast", or the code of a refused token. */
  error: CustomEvent<{ code: string }>
}

/** The inbox of mcp-webclient, in a frame on its own origin. */
export declare class McpInbox extends HTMLElement {
  /** Returns a token that your backend minted for the person; each is used once. */
  getToken: ((why: TokenReason) => Promise<string> | string) | null
  /** The number of questions that wait. */
  readonly pending: number
  /** What the element shows. */
  readonly state: InboxState
  /** Whether the panel of a badge is open. */
  open: boolean
  /** Shows one question, and focuses it. */
  show(id: string): void
  /** Moves the focus into the frame, to the first question. */
  focus(): void
  /** Tells the frame how the page looks now. */
  refresh(): void
  /** Forgets the session and signs in again. */
  reload(): void
  /** Clears everything of the person at once, until `reload()`. Your backend ends their sessions. */
  signOut(): void
  addEventListener<K extends keyof McpInboxEventMap>(
    type: K,
    listener: (this: McpInbox, event: McpInboxEventMap[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}

/** The attributes of `<mcp-inbox>`. */
export interface McpInboxAttributes {
  /** Where the inbox is: `https://inbox.example.com/embed/NAME`. */
  src: string
  /** An address of your backend that answers a POST with a token, instead of `getToken`. */
  "get-token"?: string
  locale?: string
  /** Light or dark; by default as the CSS `color-scheme` of the element, or as the browser prefers. */
  theme?: "light" | "dark" | "auto"
  /** Another name for `theme`. */
  "color-scheme"?: "light" | "dark" | "auto"
  /** A shadow around the frame, or content that fades out where a panel hides more. */
  edge?: "shadow" | "fade"
  density?: "normal" | "compact"
  display?: "inline" | "panel" | "badge"
  /** The accessible name of the frame, and the text of the badge. */
  label?: string
  /** Shows the questions of this call only. */
  call?: string
  /** Shows the questions of this server only: its id, or its name in the config file. */
  server?: string
}

declare global {
  interface HTMLElementTagNameMap {
    "mcp-inbox": McpInbox
  }
}
