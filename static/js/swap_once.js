// The swap style "once": adds elements that are not on the page yet and leaves the others alone, so that a push may come twice.
// It adds at the end; "once at:start" adds at the beginning.

htmx.registerExtension("once", {
  handle_swap: (style, target, fragment, { at }) => {
    if (style !== "once") return false
    const added = [...fragment.children].filter(({ id }) => !isShown(id) && !isShown(outcomeOf(id)))
    if (at === "start") target.prepend(...added)
    else target.append(...added)
    return added
  },
})

function isShown(id) {
  return document.getElementById(id) !== null
}

// A push that was rendered before the answer may come after it. A settled request never becomes a card again.
function outcomeOf(id) {
  return id.replace(/^request-/, "outcome-")
}
