// Sends an approval that can still be undone once the person goes on to another question.

import { home } from "./home.js"
import { ask } from "./own_response.js"

document.addEventListener("detail:asked", ({ detail: { link } }) => {
  const line = document.querySelector("[data-decided=accept]")
  if (!line || link.pathname.endsWith(line.id.replace(/^[a-z]+-/, "/"))) return
  // If that fails, it is sent when its time is over.
  ask(`${home}requests/send`, { method: "POST" }).catch(() => {})
})
