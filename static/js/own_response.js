// Asks this program, and notices when a proxy in front answers in its place because a sign-in has ended: with 401, with its
// own page, or with a redirect to the sign-in, which a script cannot follow to another site.

import { home } from "./home.js"
import { pageLanguage } from "./page_language.js"

const REFUSALS = [401, 403]

// Our own answers have the header. Errors of a proxy that cannot reach us are not about signing in.
export function isSignedOut(answer) {
  if (answer.type === "opaqueredirect" || answer.status === 401) return true
  return !answer.headers.has("X-Webclient") && (answer.ok || REFUSALS.includes(answer.status))
}

// Like `fetch`, in the language of the page; tells the page if its sign-in has ended, and fails then.
export async function ask(address, { headers, ...options } = {}) {
  // What scripts ask for never redirects by itself.
  const answer = await fetch(address, { ...options, redirect: "manual", headers: { ...pageLanguage(), ...headers } })
  if (!isSignedOut(answer)) return answer
  document.dispatchEvent(new Event("signed-out"))
  throw Object.assign(new Error("signed out"), { status: 401 })
}

// A request that failed without an answer: whether the sign-in has ended, or the program is away.
export async function signedOutNow() {
  return fetch(`${home}api/v1/me`, { redirect: "manual", headers: { Accept: "application/json" } }).then(isSignedOut, () => false)
}
