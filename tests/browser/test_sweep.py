"""A sweep over every page at six widths, and of axe over states that no other test opens."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.browser.test_look import pages
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WIDTHS = (320, 390, 768, 1024, 1280, 1920)
NO_FIELDS: Json = {"type": "object", "properties": {}}


async def sideways(page: Page) -> list[int]:
    """Return the widths at which the page scrolls sideways."""
    found = []
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(width)
    return found


async def test_no_page_scrolls_sideways_at_any_width(person: Person, asker: str) -> None:
    request = await person.ask(asker, f"Tea or {'coffee' * 40}?")
    own = [f"/requests/{request['id']}", f"/calls/{request['call_id']}", f"/calls/{request['call_id']}/log"]
    others = ["/account/sign-ins", "/demo?scene=book", "/demo?scene=book&present", "/nowhere"]
    for path in [*await pages(person), "/demo?present", *own, *others]:
        await person.page.goto(f"{person.served.base}{path}")
        assert await sideways(person.page) == [], path


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


async def test_the_presenters_view(person: Person) -> None:
    page = person.page
    await page.goto(f"{person.served.base}/demo?scene=book&present")
    await page.locator("#scene-status button").click()
    await expect(page.locator("#cards article")).to_be_visible()
    assert await sideways(page) == []
    assert await complaints(page) == []


async def test_an_open_account_menu_and_an_open_bell(person: Person) -> None:
    page = person.page
    for button in ("button.account", ".bell"):
        await page.set_viewport_size({"width": 1280, "height": 900})
        await page.goto(person.served.base)
        await page.locator(button).click()
        assert await sideways(page) == []


async def test_a_printed_page(person: Person, asker: str) -> None:
    request = await person.ask(asker, f"Tea or {'coffee' * 40}?")
    await person.page.emulate_media(media="print")
    for path in (f"/requests/{request['id']}", f"/calls/{request['call_id']}", "/history", "/"):
        await person.page.goto(f"{person.served.base}{path}")
        assert await sideways(person.page) == [], path
    await person.page.emulate_media(media="screen")
