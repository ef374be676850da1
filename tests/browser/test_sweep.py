"""A sweep over every page at six widths: sideways, headings, words; and of axe over states that no other test opens."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.browser.test_every_page import OF_A_SERVER, PAGES
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WIDTHS = (320, 390, 768, 1024, 1280, 1920)
HEADING = """() => {
  const heading = document.querySelector("main h1")
  const tile = heading.previousElementSibling?.matches(".tile") ? heading.previousElementSibling : heading
  return [Math.round(tile.getBoundingClientRect().left), getComputedStyle(heading).fontSize]
}"""

SMALLEST = """() => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (words.nextNode()) {
    const { parentElement, data } = words.currentNode
    if (!data.trim() || !parentElement.checkVisibility() || parentElement.closest("script, noscript")) continue
    const { fontSize, fontFamily } = getComputedStyle(parentElement)
    if (parseFloat(fontSize) < (fontFamily.includes("mono") ? 13 : 14)) found.push(`${fontSize} ${data.trim()}`)
  }
  return found
}"""

NO_FIELDS: Json = {"type": "object", "properties": {}}


async def sideways(page: Page) -> list[int]:
    """Return the widths at which the page scrolls sideways."""
    found = []
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(width)
    return found


async def pages(person: Person) -> list[str]:
    """Return the addresses of all pages; those of the demo in a room have larger type."""
    server = await person.api.server("Demo trips")
    return [page for page in PAGES if "present" not in page] + [f"/servers/{server}/{page}" for page in OF_A_SERVER]


async def test_no_page_scrolls_sideways_and_all_have_one_look(person: Person, asker: str) -> None:
    """Headings have one size and one place, and no words are smaller than 14 pixels."""
    request = await person.ask(asker, f"Tea or {'coffee' * 40}?")
    all_pages = await pages(person)
    own = [f"/requests/{request['id']}", f"/calls/{request['call_id']}", f"/calls/{request['call_id']}/log"]
    others = ["/account/sign-ins", "/demo?scene=book", "/demo?scene=book&present", "/demo?present", "/nowhere"]
    found = {}
    for path in [*all_pages, *own, *others]:
        await person.page.goto(f"{person.served.base}{path}")
        # The last width is a wide one.
        assert await sideways(person.page) == [], path
        assert "present" in path or await person.page.evaluate(SMALLEST) == [], path
        # A page that asks to confirm has its heading in a box, and a scene of the demo stands in the middle.
        if path in all_pages and not path.endswith(("/delete", "/mute", "/demo")):
            found[path] = tuple(await person.page.evaluate(HEADING))
    assert set(found.values()) == {(264, "24px")}, found
    await person.page.emulate_media(media="print")
    for path in (*own[:2], "/history", "/"):
        await person.page.goto(f"{person.served.base}{path}")
        assert await sideways(person.page) == [], path
    await person.page.emulate_media(media="screen")


async def test_pages_that_confirm_several_answers(person: Person, asker: str) -> None:
    page = person.page
    for verb in ("Approve", "Decline"):
        for number in range(2):
            await person.ask(asker, f"{verb} {'all' * 50} {number}?", opened=False, schema=NO_FIELDS)
        await page.set_viewport_size({"width": 1280, "height": 900})
        await page.goto(person.served.base)
        for box in await page.locator(".request-row__check").all():
            await box.check()
        await page.get_by_role("button", name=f"{verb} selected").click()
        await expect(page.get_by_role("button", name=re.compile(rf"^{verb} \d questions$"))).to_be_visible()
        assert await sideways(page) == []
        assert await complaints(page) == []


async def test_menus_and_the_presenters_view_open(person: Person) -> None:
    """The presenter's view, the account menu and the bell."""
    page = person.page
    for button in ("button.account", ".bell"):
        await page.set_viewport_size({"width": 1280, "height": 900})
        await page.goto(person.served.base)
        await page.locator(button).click()
        assert await sideways(page) == []
    await page.goto(f"{person.served.base}/demo?scene=book&present")
    await page.locator("#scene-status button").click()
    await expect(page.locator("#cards article")).to_be_visible()
    assert await sideways(page) == []
    assert await complaints(page) == []
