// Shows in the icon of the page that a question waits.

function show() {
  const icon = document.querySelector("link[rel=icon]")
  const { idle, waiting } = icon.dataset
  const wanted = document.querySelector("#inbox-count")?.textContent ? waiting : idle
  if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted)
}

document.addEventListener("htmx:after:swap", show)
