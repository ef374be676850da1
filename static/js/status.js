// Says in words how the stream stands, and what went wrong when the backend failed or could not be reached.

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

document.addEventListener("htmx:response:error", ({ detail }) => {
  const { status } = detail.ctx.response
  if (status === 401) document.dispatchEvent(new Event("signed-out"))
  else if (status >= 500) say(problem, problem.dataset.failed)
})

document.addEventListener("signed-out", () => (signedOut.hidden = false))

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx?.sourceElement) say(problem, problem.dataset.unreachable)
})

document.addEventListener("htmx:before:request", () => say(problem, ""))
