// Sets the person's own time zone where the server suggested none, and in a cookie for days that begin and end where they are.

import { home } from "./home.js"

const here = Intl.DateTimeFormat().resolvedOptions().timeZone
const A_YEAR = 31_536_000 // seconds

document.cookie = `time_zone=${encodeURIComponent(here)}; path=${home}; max-age=${A_YEAR}; samesite=lax`

function choose() {
  for (const input of document.querySelectorAll("input[data-zone=local]")) {
    delete input.dataset.zone
    // A form that comes back, as a draft or with errors, holds what was typed, and that stands.
    if (!input.form.matches("[data-typed], :has(.error-summary)")) input.defaultValue = here
  }
}

document.addEventListener("htmx:after:swap", choose)
choose()
