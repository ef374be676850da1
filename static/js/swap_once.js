// The swap style "once": adds elements that are not on the page yet and leaves the others alone, so that a push may come twice.
// It adds at the end; "once at:start" adds at the beginning, when neither pointer nor focus is in the list, whose rows would
// move away from them. A card takes the place of its decision that was undone.

const late = new Map() // what waits until its list is left, with the list, by id

htmx.registerExtension("once", {
  handle_swap: (style, target, fragment, { at }) => {
    if (style !== "once") return false
    const children = [...fragment.children]
    const restored = children.filter(restore)
    const added = children.filter(({ id }) => ![id, ...othersOf(id)].some(isShown))
    if (at === "start") {
      for (const each of added) late.set(each.id, { each, target })
      addLate()
    } else target.append(...added)
    return [...restored, ...added.filter(({ isConnected }) => isConnected)]
  },
})

function addLate() {
  for (const [id, { each, target }] of late) {
    if (target.isConnected && target.matches(":hover, :has(:focus-visible)")) continue
    late.delete(id)
    if (!isShown(id)) target.prepend(each)
  }
}

for (const type of ["pointerover", "focusin"]) document.addEventListener(type, () => late.size && requestAnimationFrame(addLate))

// Where Undo was pressed, the card comes as the answer, with text that no draft keeps.
function restore(card) {
  const decision = document.getElementById(card.id.replace(/^request-/, "undo-"))
  if (!decision || decision.id === card.id || decision.querySelector(".htmx-request")) return false
  decision.replaceWith(card)
  return true
}

function isShown(id) {
  return document.getElementById(id) !== null
}

// A push that was rendered before the answer may come after it. A settled request never becomes a card again.
function othersOf(id) {
  const request = id.match(/^(?:request|undo)-(.*)/)?.[1]
  return request ? [`undo-${request}`, `request-${request}`, `outcome-${request}`] : []
}
