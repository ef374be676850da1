// Announces what the action before this page has done, and takes its name off the address: a reload says nothing.

function announce() {
  const flash = document.querySelector("#flash p")
  const address = new URL(location.href)
  if (address.searchParams.has("flash")) {
    address.searchParams.delete("flash")
    history.replaceState(history.state, "", address)
  }
  // A live region speaks of changes, and not of what it has when it comes.
  if (flash) setTimeout(() => (document.getElementById("announce").textContent = flash.textContent), 100)
}

document.addEventListener("page:shown", announce)
announce()
