// Prints what `settled` makes of each post, JSON on standard input: `[[BODY, HEADERS, SECRET], ...]`.
import { settled } from "mcp-webclient-client/webhooks"

let text = ""
for await (const part of process.stdin) text += part
const of = ([body, headers, secret]) => {
  try {
    return settled(Buffer.from(body), new Headers(headers), secret)
  } catch (error) {
    return error.name
  }
}
console.log(JSON.stringify(JSON.parse(text).map(of)))
