// Buttons that open an address in a new tab (data-open): the browser posts their form there by itself, htmx does not.
// In a frame of another site the new tab would not be signed in, so there the address is opened from here.

const DOUBLE_CLICK_MS = 1000

let last = { button: null, at: 0 }

document.addEventListener(
  "submit",
  (event) => {
    const button = event.submitter
    if (button?.dataset.open === undefined) return
    const twice = button === last.button && event.timeStamp - last.at < DOUBLE_CLICK_MS
    last = { button, at: event.timeStamp }
    if (twice) stop(event)
    else if (window.top === window) event.stopImmediatePropagation()
    else openFromFrame(event, button.dataset.open)
  },
  true,
)

function openFromFrame(event, address) {
  window.open(address, "_blank", "noopener,noreferrer")
  // The accepting form goes on to htmx, which records the answer; to open again there is nothing to record.
  if (!event.target.matches("[hx-post]")) stop(event)
}

function stop(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}
