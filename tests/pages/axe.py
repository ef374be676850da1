"""What axe-core finds on a page as a person sees it: in light and dark, on a wide screen and on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

from playwright.async_api import Page

Scheme = Literal["light", "dark"]

WIDTHS = (1280, 390)
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

_AXE = (Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text()
_UNFOLD = "(which) => document.querySelectorAll(which).forEach((details) => (details.open = true))"
_RUN = """async (tags) => {
  const {violations} = await axe.run({runOnly: tags, resultTypes: ["violations"], preload: false})
  return violations.flatMap(({id, help, nodes}) => nodes.map((node) => ({id, help, ...node})))
}"""


async def complaints(page: Page, *, unfold: str = "details") -> list[str]:
    """Return all that axe has to complain of on the page as it stands, with everything open that `unfold` selects."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE)  # comes through the debugger, which the page's security policy lets pass
    await page.evaluate(_UNFOLD, unfold)
    found: list[str] = []
    for scheme in get_args(Scheme):
        await page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            found += [_told(each, f"{scheme}, {width} px") for each in await page.evaluate(_RUN, RULES)]
    return found


def _told(found: dict[str, Any], where: str) -> str:
    return f"{found['id']} ({where}): {found['help']}\n{found['html']}\n{found['failureSummary']}"
