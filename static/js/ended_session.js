// Clears a tab that was opened from a frame as soon as its session is ended: the page that comes instead says where to go.
// A session that has lapsed leaves what was typed on the screen. Frames do the same in frame.js, which has their session.

async function look() {
  const answer = await fetch(location.href, { method: "HEAD", redirect: "manual" }).catch(() => null)
  if (answer?.headers.get("X-Webclient-Session") === "ended") location.reload()
}

if (parent === window) {
  document.addEventListener("signed-out", look)
  document.addEventListener("stream:state", ({ detail }) => detail === "signedOut" && look())
}
