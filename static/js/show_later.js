// Shows a warning from its moment on. A page that is not reloaded meanwhile has it hidden until then.

const EVERY_MS = 1000

function show() {
  for (const element of document.querySelectorAll("[data-from][hidden]")) {
    if (Date.now() >= Date.parse(element.dataset.from)) element.hidden = false
  }
}

setInterval(show, EVERY_MS)
