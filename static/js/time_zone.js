// Sets the person's own time zone where the server suggested none.

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

function choose() {
  for (const input of document.querySelectorAll("input[data-zone=local]")) {
    delete input.dataset.zone
    // A form that comes back, as a draft or with errors, holds what was typed, and that stands.
    if (!input.form.matches("[data-typed], :has(.error-summary)")) input.defaultValue = here
  }
}

document.addEventListener("htmx:after:swap", choose)
choose()
