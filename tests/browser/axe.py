"""The complaints of axe-core about a page: in light and dark, wide and on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from playwright.async_api import Frame, Page

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
WIDTHS = (1280, 390)


class View(NamedTuple):
    """How a person sees the page, and the axe rules, or tags of rules, to apply."""

    scheme: Literal["light", "dark"]
    width: int
    rules: Sequence[str]


PAIRS = (
    (View("light", WIDTHS[0], RULES), View("dark", WIDTHS[1], RULES)),
    (View("dark", WIDTHS[0], RULES), View("light", WIDTHS[1], RULES)),
)
"""Each look at a page has both schemes and both widths; the pairs take turns, so that all four are seen of what stays.

A scheme changes colors only, and a phone shows nothing that a wide page does not, in the same colors:
`tests/pages/test_house_rules.py`.
"""

_looks: WeakKeyDictionary[Page, int] = WeakKeyDictionary()
"""How often a page was looked at in a pair."""

_AXE = (Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text("utf-8")
_UNFOLD = "(which) => document.querySelectorAll(which).forEach((details) => (details.open = true))"
_RUN = """async ([rules, settled, within]) => {
  const run = {runOnly: rules, resultTypes: ["violations", "incomplete"], elementRef: true, preload: false}
  const {violations, incomplete} = await axe.run(within, run)
  const why = (node) => [...node.any, ...node.all, ...node.none].map(({data, message}) => [data?.messageKey, message])
  const isSettledIn = (node, key) => settled.some(([known, where]) => known === key && node.element.closest(where))
  const isSettled = (node) => why(node).length > 0 && why(node).every(([key]) => isSettledIn(node, key))
  const described = (node) => ({html: node.html, failureSummary: node.failureSummary ?? JSON.stringify(why(node))})
  const all = (found, wanted) =>
    found.flatMap(({id, help, nodes}) => nodes.filter(wanted).map((node) => ({id, help, ...described(node)})))
  return [...all(violations, () => true), ...all(incomplete, (node) => !isSettled(node))]
}"""

_SETTLED = [
    # Options at the edge of the box that they are scrolled in, or below it: as those above, which axe recognises.
    ("elmPartiallyObscured", ".field__options, .ticks--many"),
    # Rows of the inbox at the edge of their scrolling list: as those above.
    ("elmPartiallyObscured", ".inbox"),
    # Messages at the edge of the box that they are scrolled in, likewise.
    ("elmPartiallyObscured", ".wire-log__messages"),
    # What a settled card says, on the ground of the column that it is scrolled in, likewise.
    ("elmPartiallyObscured", ".outcome"),
    # The context of a card, on the same ground, likewise.
    ("elmPartiallyObscured", ".context"),
    # The first line of a declined card, which stays in view while the rest is scrolled under it.
    ("elmPartiallyObscuring", ".outcome--undoable > .outcome__head"),
    ("bgOverlap", ".outcome--undoable"),
    # A count of one digit: as longer ones, which axe takes for text.
    ("shortTextContent", ".inbox__chip-count"),
    # A sign that repeats the words beside it.
    ("nonBmp", "[aria-hidden=true]"),
]
"""Reports that axe cannot decide and a person has checked: the reason, and where it may come up."""


async def complaints(
    page: Page, *, unfold: str = "details", views: Sequence[View] = (), within: str = "html", frame: Frame | None = None
) -> list[str]:
    """Return all that axe reports or cannot decide.

    It looks `within` a part of the page, with everything open that `unfold` selects; without `views`, in the next pair.
    With a `frame` of the page it looks into that alone.
    """
    if not views:
        _looks[page] = _looks.get(page, 0) + 1
        views = PAIRS[_looks[page] % len(PAIRS) - 1]
    document = frame or page.main_frame
    if not await document.evaluate("'axe' in window"):
        await document.evaluate(_AXE)  # comes through the debugger, which the page's security policy lets pass
    await document.evaluate(_UNFOLD, unfold)
    size = page.viewport_size
    found: list[str] = []
    for scheme, width, rules in views:
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size({"width": width, "height": 900})
        reports = await document.evaluate(_RUN, [rules, _SETTLED, within])
        found += [_described(each, f"{scheme}, {width} px") for each in reports]
    if size:
        await page.set_viewport_size(size)
    return found


def _described(found: dict[str, Any], where: str) -> str:
    return f"{found['id']} ({where}): {found['help']}\n{found['html']}\n{found['failureSummary']}"
