// Where the pages of this program begin, with a slash at the end: "/", or the path under which a proxy shows it.

export const home = document.querySelector("a.brand")?.pathname ?? "/"
