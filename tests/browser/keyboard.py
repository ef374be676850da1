"""A person without a mouse: goes through the page with Tab, and must see at each stop where they are."""

from __future__ import annotations

from typing import Any, Literal

from playwright.async_api import Locator, Page, expect

MOST_STOPS = 300
"""More than any page has: a walk that does not end before is in a trap."""

THINNEST_RING = 2
"""Pixels, as WCAG 2.2 has it in 2.4.13."""

_HAS_FOCUS = "(element) => element === document.activeElement"
_STOP = """(target, thinnest) => {
  const stop = document.activeElement
  window.stops = (window.stops ?? new Set()).add(stop)
  const hasRing = (element) => {
    const {outlineStyle, outlineWidth} = getComputedStyle(element)
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= thinnest
  }
  // Somewhere in the window, and in front (WCAG 2.2, 2.4.11).
  const isInSight = (element) => [...element.getClientRects()].some(({left, right, top, bottom}) => {
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const front = document.elementFromPoint(x, y)
    return front !== null && (element.contains(front) || front.contains(element) && front !== document.body)
  })
  // An option of a segmented row has its ring around the segment: the label that the radio button stands in.
  // A settled card has it around its head.
  const parts = [stop, stop.closest("label"), stop.querySelector(":scope > .outcome__head")]
  const last = stop === document.body
  const seen = last || parts.some((element) => element !== null && hasRing(element) && isInSight(element))
  const isInGroup = stop.name === target.name && stop.form === target.form
  return {html: stop.outerHTML.slice(0, 300), seen, last, isTarget: stop === target, isInGroup}
}"""
"""Looks at a stop, and whether it is the target, in one go: on a long way there are a thousand stops."""

_NEVER_REACHED = """(within) => {
  const reached = [...window.stops]
  const of_group = (radio) => reached.some(({name, form}) => name === radio.name && form === radio.form)
  return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, audio")]
    .filter((control) => control.closest(within))
    .filter((control) => control.checkVisibility({visibilityProperty: true}) && !control.matches(":disabled"))
    .filter((control) => !reached.includes(control) && !(control.type === "radio" && of_group(control)))
    .map((control) => control.outerHTML.slice(0, 300))
}"""


class Keyboard:
    """The keyboard of one tab. A stop without a visible ring is an error wherever it is met."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def press(self, *keys: str) -> None:
        """Press one key after the other, each named as in `Shift+Tab`."""
        for key in keys:
            await self._page.keyboard.press(key)

    async def write(self, text: str) -> None:
        """Type, over what is selected."""
        await self._page.keyboard.type(text)

    async def go_to(self, target: Locator) -> None:
        """Press Tab until the focus is on `target`."""
        await self._tab_until(target, "isTarget")

    async def fill(self, target: Locator, text: str) -> None:
        """Go to a text field and type over what is in it."""
        await self.go_to(target)
        await self.press("Control+a")
        await self.write(text)

    async def choose(self, radio: Locator) -> None:
        """Go to the group of a radio button, then to the button with the arrows."""
        await self._tab_until(radio, "isInGroup")
        for _button in range(MOST_STOPS):
            if await radio.evaluate(_HAS_FOCUS):
                break
            await self.press("ArrowDown")
        await self.press("Space")

    async def walk(self, within: str = "body") -> list[str]:
        """Press Tab until the end of the page, then if need be once around it; return the controls not reached.

        Only those `within` a part of the page count. A page that has scrolled to a part lets Tab begin there.
        """
        await self._page.evaluate("delete window.stops")
        unreached: list[str] = []
        for _round in range(2):
            await self._go_to_the_end()
            unreached = await self._page.evaluate(_NEVER_REACHED, within)
            if not unreached:
                break
        return unreached

    async def _go_to_the_end(self) -> None:
        for _each in range(MOST_STOPS):
            if (await self._stop(self._page.locator("html")))["last"]:
                return
        raise AssertionError("the focus does not come to the end of the page")

    async def _tab_until(self, target: Locator, arrived: Literal["isTarget", "isInGroup"]) -> None:
        await expect(target).to_be_visible()
        # The page may be without its style sheets until then.
        await self._page.wait_for_load_state()
        for _each in range(MOST_STOPS):
            if (await self._stop(target))[arrived]:
                return
        raise AssertionError(f"the keyboard does not come to {target}")

    async def _stop(self, target: Locator) -> dict[str, Any]:
        """Go one stop further, and say whether that is beyond the last one, the target, or of its group."""
        await self.press("Tab")
        stop: dict[str, Any] = await target.evaluate(_STOP, THINNEST_RING)
        assert stop["seen"], f"the focus cannot be seen on {stop['html']}"
        return stop
