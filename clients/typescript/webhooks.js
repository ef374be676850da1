// Answers that come by webhook, signed by Standard Webhooks. It needs the package `standardwebhooks`.
//
// What is not signed with the secret, or not within five minutes of now, is an error and never an answer.
import { Webhook } from "standardwebhooks"
import { resultOf } from "./results.js"

/** This is not an answer: the signature or its time is wrong, or it is another message. Respond with 400. */
export class WebhookError extends Error {
  name = "WebhookError"
}

/** Return the end of a question from the raw body and the headers of a post, which `secret` signs. */
export function settled(body, headers, secret) {
  if (typeof body !== "string" && !ArrayBuffer.isView(body)) {
    throw new TypeError("Give the body as it came: a parsed one cannot be verified.")
  }
  const webhook = new Webhook(secret)
  let message
  try {
    // As text: the library takes the numbers of a Uint8Array for its text.
    message = webhook.verify(typeof body === "string" ? body : new TextDecoder().decode(body), plain(headers))
  } catch (error) {
    throw new WebhookError(`The webhook cannot be verified. ${error.message}`, { cause: error })
  }
  if (message?.type !== "request.settled") throw new WebhookError("The webhook is not the end of a question.")
  const { data } = message
  return data.withheld ? { id: data.id } : { id: data.id, result: resultOf(data) }
}

function plain(headers) {
  return Object.fromEntries(typeof headers.entries === "function" ? headers.entries() : Object.entries(headers))
}
