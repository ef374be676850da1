"""What axe-core finds on a page as a person sees it, or leaves them to see: in light and dark, wide and on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

from playwright.async_api import Page

Scheme = Literal["light", "dark"]

WIDTHS = (1280, 390)
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

_AXE = (Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text()
_UNFOLD = "(which) => document.querySelectorAll(which).forEach((details) => (details.open = true))"
_WITHOUT_LINES = """() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(".step:not(:last-child)::before { content: none }")
  document.adoptedStyleSheets = [sheet]
}"""
"""Takes away the line that runs beside the steps of a call: axe takes it to lie behind all of their text."""

_RUN = """async ([tags, settled]) => {
  const run = {runOnly: tags, resultTypes: ["violations", "incomplete"], elementRef: true, preload: false}
  const {violations, incomplete} = await axe.run(run)
  const why = (node) => [...node.any, ...node.all, ...node.none].map(({data, message}) => [data?.messageKey, message])
  const isSettledIn = (node, key) => settled.some(([known, where]) => known === key && node.element.closest(where))
  const isSettled = (node) => why(node).length > 0 && why(node).every(([key]) => isSettledIn(node, key))
  const told = (node) => ({html: node.html, failureSummary: node.failureSummary ?? JSON.stringify(why(node))})
  const all = (found, wanted) =>
    found.flatMap(({id, help, nodes}) => nodes.filter(wanted).map((node) => ({id, help, ...told(node)})))
  return [...all(violations, () => true), ...all(incomplete, (node) => !isSettled(node))]
}"""

_SETTLED = [
    # Options at the edge of the box that they are scrolled in, or below it: as those above, which axe can tell.
    ("elmPartiallyObscured", ".field__options, .ticks--many"),
    # A sign that says again, for the eye, what stands beside it in words.
    ("nonBmp", "[aria-hidden=true]"),
]
"""What axe cannot tell by itself and people have looked at: its reason, and where it may come up."""


async def complaints(page: Page, *, unfold: str = "details") -> list[str]:
    """Return all that axe complains of, or cannot tell, on the page as it is, with all open that `unfold` selects."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE)  # comes through the debugger, which the page's security policy lets pass
    await page.evaluate(_UNFOLD, unfold)
    await page.evaluate(_WITHOUT_LINES)
    found: list[str] = []
    for scheme in get_args(Scheme):
        await page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            found += [_told(each, f"{scheme}, {width} px") for each in await page.evaluate(_RUN, [RULES, _SETTLED])]
    return found


def _told(found: dict[str, Any], where: str) -> str:
    return f"{found['id']} ({where}): {found['help']}\n{found['html']}\n{found['failureSummary']}"
