"""A server's description of itself: its own words, its website behind a click, and its icons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.mcp_servers import running

pytestmark = pytest.mark.anyio


@pytest.fixture
async def described(person: Person) -> AsyncIterator[str]:
    """The id of a server that describes itself."""
    async with running("described") as server:
        body: Any = {"label": "Mine", "transport": {"type": "http", "url": server.address}}
        added = await person.api.json("POST", "/servers", 201, json=body)
        await person.api.json("POST", f"/servers/{added['id']}/connect", 202)
        await person.api.server("Mine")
        yield added["id"]
        await person.api.delete(f"/servers/{added['id']}")


async def test_only_a_click_opens_the_website(person: Person, described: str) -> None:
    """The server is shown in its own words, of which none is a link; no other address is opened in their place."""
    info = (await person.api.json("GET", f"/servers/{described}"))["server_info"]
    assert {"title", "description", "websiteUrl", "version", "icons"} <= info.keys()
    page, address = person.page, "https://described.example/about?next=https://other.example/"
    visited: list[str] = []

    async def note(route: Any) -> None:
        visited.append(route.request.url)
        assert "referer" not in route.request.headers
        await route.fulfill(body="Elsewhere")

    await page.context.route("https://described.example/**", note)
    await page.goto(f"{person.served.base}/servers/{described}/settings")
    says = page.locator(f"#says-{described}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Mine")
    await says.locator("summary").click()
    for text in ("Described server", "1.2.3-beta", "<b>icons</b>", "⟦U+202E⟧red"):
        await expect(says.locator("dl")).to_contain_text(text)
    await expect(says.locator("[data-code='nested-url']")).to_be_visible()
    await expect(says.get_by_role("link")).to_have_count(0)
    assert await complaints(page) == []
    assert visited == []
    async with page.context.expect_page() as opened:
        await says.get_by_role("button").click()
    tab: Page = await opened.value
    await expect(tab.get_by_text("Elsewhere")).to_be_visible()
    assert (visited, tab.url, await tab.evaluate("opener")) == ([address], address, None)
    await tab.close()
    other = await page.request.post(
        f"{person.served.base}/servers/{described}/website",
        form={"href": "https://described.example/before"},
        headers={"Origin": person.served.base},
    )
    assert other.status == 409
    # A push that shows the head again leaves it unfolded.
    await person.live()
    await person.api.json("PATCH", f"/servers/{described}", json={"label": "Renamed"})
    await expect(page.get_by_role("heading", level=1)).to_have_text("Renamed")
    await expect(says.locator("dl")).to_be_visible()
    await page.set_viewport_size({"width": 390, "height": 800})
    for _state in ("open", "folded"):
        assert await page.evaluate("document.querySelector('main').scrollWidth <= innerWidth")
        await says.locator("summary").click()


async def test_icons_come_from_this_program_alone(person: Person, described: str) -> None:
    page = person.page
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    await page.goto(f"{person.served.base}/servers/{described}/tools")
    # Removed is each icon that is not a picture, or not one of its type.
    for name, count in {"png": 1, "svg": 1, "moved": 1, "page": 0, "lie": 0, "away": 0, "foreign": 0}.items():
        await expect(person.row(name).locator("img")).to_have_count(count)
    for icon in await page.locator("img").all():
        await expect(icon).to_have_js_property("complete", value=True)
        assert await icon.evaluate("icon => icon.naturalWidth") > 0
    assert all(url.startswith(person.served.base) for url in requests)
    icons = page.locator("img")
    response = await page.request.get(person.served.base + str(await icons.last.get_attribute("src")))
    assert response.headers["content-type"] in ("image/png", "image/jpeg")
