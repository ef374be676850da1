// The messages of the guided demo: polls that bring nothing new are one row with their number, which unfolds, and the message
// that asks the question is open.

function messages() {
  return [...document.querySelectorAll("[data-folds] #wire-log-messages > li")]
}

function isOpen(message) {
  return message.firstElementChild.open
}

// A message that asks what the one before asked is a poll like any other.
function runs() {
  const found = []
  let run = []
  let earlier = ""
  for (const message of messages()) {
    const { poll, requests } = message.dataset
    const isRequest = Boolean(requests) && requests !== earlier
    earlier = requests || earlier
    if (isRequest) showRequest(message)
    if (poll !== undefined && !isRequest) {
      if (!run.length) found.push((run = []))
      run.push(message)
    } else {
      run = []
    }
  }
  return found
}

function showRequest(message) {
  if (message.dataset.shown) return
  message.dataset.shown = "true"
  message.firstElementChild.open = true
  const list = message.parentElement
  // What has the focus of the keyboard stays in sight.
  if (!list.contains(document.activeElement)) list.scrollTop = message.offsetTop - list.offsetTop
}

function fold([first, ...others]) {
  const times = first.querySelector(".wire-message__times")
  const count = [first, ...others].reduce((sum, { dataset }) => sum + Number(dataset.poll), 0)
  times.textContent = `× ${count}`
  times.hidden = count < 2
  for (const message of others) message.hidden = count > 1 && !isOpen(first)
}

function foldAll() {
  for (const run of runs()) fold(run)
}

document.addEventListener("htmx:after:swap", foldAll)
document.addEventListener("toggle", ({ target }) => target.closest?.("[data-folds] [data-poll]") && foldAll(), true)
