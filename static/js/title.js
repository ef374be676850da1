// Shows the number of waiting questions in the page title.

const count = document.getElementById("inbox-count")
const title = document.title.replace(/^\(\d+\) /, "")

if (count) {
  const show = () => {
    document.title = count.textContent ? `(${count.textContent}) ${title}` : title
  }
  new MutationObserver(show).observe(count, { childList: true, characterData: true, subtree: true })
}
