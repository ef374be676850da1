// Where the pages of this program begin, with a slash at the end: "/", or the path under which a proxy shows it.

const stream = document.getElementById("stream")?.dataset.stream // of a frame, which has no such link

export const home = document.querySelector("a.brand")?.pathname ?? stream?.replace(/stream\?.*/, "") ?? "/"
