// Asks whether a tool may run, and prints the decision: `decision.mjs INBOX TOKEN OPTIONS FURTHER TOOL ARGUMENTS`.
// It stops waiting at the end of standard input.
import { inbox } from "mcp-webclient-client"

const [address, token, ...given] = process.argv.slice(2)
const [options, further, tool, args] = given.map((text) => JSON.parse(text))
const stopped = new AbortController()
process.stdin.on("end", () => stopped.abort()).resume()
const decision = await inbox(address, token, options).approve(tool, args, { ...further, signal: stopped.signal })
console.log(JSON.stringify({ ...decision, mayRun: decision.mayRun, words: decision.words }))
process.exit()
