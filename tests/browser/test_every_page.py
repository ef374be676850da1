"""Every page opens: one heading, a title, no complaint of the browser, nothing wider than a phone."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.axe import complaints
from tests.browser.person import Person

pytestmark = [pytest.mark.anyio, pytest.mark.smoke]

PHONE: ViewportSize = {"width": 390, "height": 844}
PAGES = [
    "/",
    "/calls",
    "/history",
    "/history?q=zeppelin",
    "/servers",
    "/notifications",
    "/tokens",
    "/agents",
    "/demo",
    "/demo?present",
]
OF_A_SERVER = (
    *("tools", "tools/book_trip", "prompts", "prompts/packing_list", "resources", "templates", "tasks"),
    *("permissions", "settings", "log", "delete", "mute"),
)
"""Tabs and pages of a server, below its address."""


async def open_page(person: Person, path: str, status: int = 200) -> None:
    """Open a page, and look at what all have in common."""
    page = person.page
    response = await page.goto(f"{person.served.base}{path}")
    assert response
    assert response.status == status, path
    await expect(page.get_by_role("heading", level=1)).to_have_count(1)
    await expect(page.get_by_role("main")).to_be_visible()
    assert "mcp-webclient" in await page.title(), path
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert person.complaints == [], path


async def test_every_page_opens_on_a_phone(person: Person) -> None:
    await person.page.set_viewport_size(PHONE)
    for path in PAGES:
        await open_page(person, path)
    server = await person.api.server("Demo trips")
    for path in OF_A_SERVER:
        await open_page(person, f"/servers/{server}/{path}")
    # Unknown addresses are a page too.
    for path in ("/calls/nothing", "/nowhere"):
        await open_page(person, path, 404)


async def test_a_waiting_and_a_settled_request_have_their_pages(person: Person, asker: str) -> None:
    request = await person.ask(asker, "Tea or coffee?")
    await expect(person.card(request)).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.set_viewport_size(PHONE)
    card, call = f"/requests/{request['id']}", f"/calls/{request['call_id']}"
    for path in (card, call, f"{call}/log"):
        await open_page(person, path)
    await person.api.answer(request, action="decline")
    for path in (card, call, f"{call}/edit", "/history"):
        await open_page(person, path)
