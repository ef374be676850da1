// A pressed button says what it waits for, if that takes longer than a moment, and cannot be pressed again meanwhile.

const MOMENT_MS = 150

const pending = new Map() // form -> what brings its button back

function wait(form, button) {
  const label = button.textContent
  const timer = setTimeout(() => {
    button.setAttribute("aria-disabled", "true")
    button.textContent = button.dataset.pending
  }, MOMENT_MS)
  pending.set(form, () => {
    clearTimeout(timer)
    button.removeAttribute("aria-disabled")
    button.textContent = label
  })
}

function done(form) {
  pending.get(form)?.()
  pending.delete(form)
}

document.addEventListener(
  "submit",
  (event) => {
    const form = event.target
    const button = event.submitter?.hidden ? form.querySelector("button[data-pending]") : event.submitter
    if (!button?.dataset.pending) return
    if (pending.has(form)) {
      event.preventDefault()
      event.stopImmediatePropagation()
    } else wait(form, button)
  },
  true,
)

document.addEventListener("htmx:finally:request", ({ detail }) => done(detail.ctx.sourceElement?.form ?? detail.ctx.sourceElement))
// The browser shows the page again as it was left.
addEventListener("pageshow", ({ persisted }) => persisted && [...pending.keys()].forEach(done))
