// The swap style "once": adds elements that are not on the page yet and leaves the others alone, so that a push may come twice.
// It adds at the end; "once at:start" adds at the beginning.

htmx.registerExtension("once", {
  handle_swap: (style, target, fragment, { at }) => {
    if (style !== "once") return false
    const added = [...fragment.children].filter((element) => !document.getElementById(element.id))
    if (at === "start") target.prepend(...added)
    else target.append(...added)
    return added
  },
})
