import type { ElicitResult } from "./index.js"

/** This is not an answer: the signature or its time is wrong, or it is another message. Respond with 400. */
export declare class WebhookError extends Error {
  name: "WebhookError"
}

/** The end of a question, which arrives again if it was not acknowledged: act on each id once. */
export interface Settled {
  id: string
  /**
   * What the inbox's handler returns. It is absent if the person's answer has values that may be secret:
   * `answer(id)` of the inbox brings the whole one, once.
   */
  result?: ElicitResult
}

/** The headers of a request in Node, Express or fetch. */
export type PostHeaders =
  | Record<string, string | string[] | undefined>
  | { entries(): IterableIterator<[string, string]> }

/**
 * Return the end of a question from the raw body and the headers of a post; `secret` is that of the question,
 * `whsec_...`. Throws WebhookError.
 */
export declare function settled(body: string | Uint8Array, headers: PostHeaders, secret: string): Settled
