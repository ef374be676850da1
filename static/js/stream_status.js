// Shows the state of the stream, and an error when the backend failed or could not be reached.

const NOT_STORED = 507 // then the backend's own sentence says why, and what to do

const state = document.getElementById("stream-state")
const problem = document.getElementById("problem")
const signedOut = document.getElementById("signed-out")

function say(element, text) {
  if (element.textContent !== text) element.textContent = text
}

document.addEventListener("stream:state", ({ detail }) => {
  say(state, state.dataset[detail])
  if (detail !== "reconnecting") signedOut.hidden = detail === "live"
  if (detail === "live") say(problem, "")
})

function sentenceIn(text) {
  return new DOMParser().parseFromString(text, "text/html").querySelector(".problem p")?.textContent
}

document.addEventListener("htmx:response:error", ({ detail }) => {
  const { status } = detail.ctx.response
  if (status === 401) document.dispatchEvent(new Event("signed-out"))
  else if (status === NOT_STORED) say(problem, sentenceIn(detail.ctx.text) ?? problem.dataset.failed)
  else if (status >= 500) say(problem, problem.dataset.failed)
})

document.addEventListener("signed-out", () => (signedOut.hidden = false))

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx?.sourceElement) say(problem, problem.dataset.unreachable)
})

document.addEventListener("htmx:before:request", () => say(problem, ""))
