// Mutes who asks, unmutes, dismisses wanted sign-ins and registers again for them within the frame. What takes something away goes out by the form of
// a card, so that frame_guard.js, which comes first, has seen the card whole and uncovered before.

import { ask } from "./own_response.js"

const ACTIONS = "button[value=mute], #sign-ins button[value=dismiss], #sign-ins button[value=register], #muted button"

const problem = document.getElementById("problem")

// Not by a dialog: browsers open none for a frame of another site.
function askToMute(button) {
  const confirmation = document.getElementById("mute-confirmation").content.cloneNode(true).firstElementChild
  confirmation.querySelector("[value=mute]").setAttribute("formaction", button.dataset.mute)
  button.parentElement.after(confirmation)
  button.disabled = true
  confirmation.firstElementChild.focus()
}

function close(confirmation) {
  const button = confirmation.previousElementSibling.querySelector("[data-mute]")
  confirmation.remove()
  button.disabled = false
  button.focus()
}

async function send(button, place) {
  const data = new FormData(button.form)
  const address = button.hasAttribute("formaction") ? button.formAction : button.form.action
  const body = new URLSearchParams({ shown: data.get("shown") ?? "" })
  const answer = await ask(address, { method: "POST", body, headers: { "HX-Request": "true" } }).catch((error) => error)
  problem.textContent = answer.ok ? "" : problem.dataset[{ 401: "signedOut" }[answer.status] ?? (answer.status ? "failed" : "unreachable")]
  if (!answer.ok) return
  if (place.contains(document.activeElement)) document.querySelector("#panel h1").focus()
  const text = await answer.text()
  const target = document.getElementById("muted")
  if (text) await htmx.swap({ text, sourceElement: target, target, swap: "outerMorph" })
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-mute]")
  if (button) askToMute(button)
  const cancel = target.closest?.("[data-keep]")
  if (cancel) close(cancel.closest(".stack"))
})

// Before htmx, which would send the answer of the card.
document.addEventListener(
  "submit",
  (event) => {
    const { submitter, target } = event
    if (!submitter?.matches(ACTIONS)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    send(submitter, target.closest("article, #muted"))
  },
  true,
)
