// Pictures that the backend refuses to draw: show the reason; remove a missing icon.

import { pageLanguage } from "./page_language.js"

async function explain(picture) {
  const place = document.getElementById(picture.dataset.explain)
  if (!place) return picture.remove()
  picture.hidden = true
  const answer = await fetch(picture.currentSrc || picture.src, { headers: pageLanguage() })
  place.textContent = answer.status === 422 ? await answer.text() : picture.alt
  place.hidden = false
}

function failed(picture) {
  if (picture.dataset?.explain !== undefined) explain(picture)
}

function look() {
  for (const picture of document.querySelectorAll("img[data-explain]")) {
    if (picture.complete && !picture.naturalWidth && picture.currentSrc) failed(picture)
  }
}

// Errors of pictures do not bubble. Those from before this script ran, or that a push made new, are looked for.
document.addEventListener("error", (event) => failed(event.target), true)
document.addEventListener("htmx:after:swap", look)
look()
