// Shows the number of waiting questions in the page title.

document.addEventListener("htmx:after:swap", () => {
  const count = document.querySelector("#inbox-count [aria-hidden]")?.textContent
  const title = document.title.replace(/^\(\d+\) /, "")
  const counted = count ? `(${count}) ${title}` : title
  if (document.title !== counted) document.title = counted
})
