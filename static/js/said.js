// Announces what the action before this page has done, and takes its name off the address: a reload says nothing.

function announce() {
  const said = document.querySelector("#said p")
  const address = new URL(location.href)
  if (address.searchParams.has("said")) {
    address.searchParams.delete("said")
    history.replaceState(history.state, "", address)
  }
  // A live region speaks of changes, and not of what it has when it comes.
  if (said) setTimeout(() => (document.getElementById("announce").textContent = said.textContent), 100)
}

document.addEventListener("page:shown", announce)
announce()
