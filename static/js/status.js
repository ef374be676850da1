// Says in words how the stream stands, and what went wrong when the backend failed or could not be reached.

const state = document.getElementById("stream-state")
const problem = document.getElementById("problem")

function say(element, text) {
  if (element && element.textContent !== text) element.textContent = text
}

function fail(status) {
  if (status === 401 || status === 403) {
    say(state, state?.dataset.signedOut)
    say(problem, problem?.dataset.signedOut)
  } else say(state, state?.dataset.reconnecting)
}

document.addEventListener("htmx:sse:after:connection", () => {
  say(state, state?.dataset.live)
  say(problem, "")
})

document.addEventListener("htmx:sse:error", (event) => fail(event.detail.status))

document.addEventListener("htmx:sse:before:connection", (event) => {
  if (event.detail.connection.attempt > 0) fail()
})

document.addEventListener("htmx:response:error", (event) => {
  const { sourceElement, response } = event.detail.ctx
  if (sourceElement.id === "stream") fail(response.status)
  else if (response.status >= 500) say(problem, problem?.dataset.failed)
})

document.addEventListener("htmx:error", (event) => {
  const source = event.detail.ctx?.sourceElement
  if (source?.id === "stream") fail()
  else if (source) say(problem, problem?.dataset.unreachable)
})

document.addEventListener("htmx:before:request", (event) => {
  if (event.detail.ctx.sourceElement.id !== "stream") say(problem, "")
})
