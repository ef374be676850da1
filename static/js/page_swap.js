// Another page was shown in the same document, as after "Run": focuses its heading, and tells the other scripts.
// Back and forward load the pages again (htmx, "history").

let shown = document.getElementById("stream")

document.addEventListener("htmx:after:swap", () => {
  const stream = document.getElementById("stream")
  if (!stream || stream === shown) return
  shown = stream
  if (document.activeElement === document.body) document.querySelector("h1[tabindex]")?.focus({ preventScroll: true })
  document.dispatchEvent(new Event("page:shown"))
})
