// What the scripts of a page ask for comes in the language of the page, also if another one was chosen in another tab.

export const pageLanguage = () => ({ "Page-Language": document.documentElement.lang })

document.addEventListener("htmx:config:request", ({ detail }) => Object.assign(detail.ctx.request.headers, pageLanguage()))
