"""The page of a server: rows that are searched in place, and forms that have addresses of their own."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio

NOTE_BUTTON = """addEventListener("pagehide", () => {
  const button = document.querySelector("#add button[data-pending]")
  sessionStorage.button = `${button.textContent} ${button.getAttribute("aria-disabled")}`
})"""
"""Notes how the button looks when its page is left."""


@pytest.fixture
async def address(person: Person, asker: str) -> str:
    """The address of the asking server, which has many tools."""
    return f"{person.served.base}/servers/{await person.api.server(asker)}"


@pytest.mark.smoke
async def test_the_search_filters_rows_and_opens_the_first(person: Person, address: str) -> None:
    page = person.page
    await page.goto(address)
    search, rows = page.get_by_role("searchbox"), page.locator("a.entry-row:visible")
    everything = await rows.count()
    await page.keyboard.press("/")
    await expect(search).to_be_focused()
    await search.type("NEST arguments")
    await expect(rows).to_have_count(1)
    await search.fill("no such tool")
    await expect(rows).to_have_count(0)
    await page.locator("[data-unmatched] a").click()
    await expect(rows).to_have_count(everything)
    await expect(search).to_be_focused()
    await search.fill("order")
    await search.press("Enter")
    await expect(person.tool("order").get_by_role("heading", name="order")).to_be_focused()
    assert page.url == f"{address}/tools/order"
    await expect(person.row("order")).to_have_attribute("aria-current", "true")
    await page.go_back()
    await expect(page.locator("#runner")).to_have_attribute("data-state", "none")


async def test_without_scripts_the_search_and_the_form_are_pages(plain: Person, asker: str) -> None:
    page, address = plain.page, f"{plain.served.base}/servers/{await plain.api.server(asker)}"
    await page.goto(address)
    await page.get_by_role("searchbox").fill("nest")
    await page.get_by_role("searchbox").press("Enter")
    assert page.url == f"{address}/tools?q=nest"
    await expect(page.locator("a.entry-row:visible")).to_have_count(1)
    await page.goto(f"{address}/tools?q=no+such+tool")
    await page.locator("[data-unmatched] a").click()
    await plain.open_tool("order")
    assert page.url == f"{address}/tools/order"


async def test_a_pressed_button_says_that_it_waits(person: Person) -> None:
    async def slow(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1)
        writer.close()

    page, listening = person.page, await asyncio.start_server(slow, "127.0.0.1", 0)
    await page.goto(f"{person.served.base}/servers")
    address = page.get_by_label("Server URL or mcp.json")
    await address.fill(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp")
    await page.get_by_label("Name").fill("Slow")
    await page.evaluate(NOTE_BUTTON)
    await page.locator("#add button[data-pending]").click()
    await expect(page.locator("#add-failed")).to_be_focused()
    assert await page.evaluate("sessionStorage.button") == "Connecting… true"
    await expect(address).not_to_have_value("")
    listening.close()


async def test_rows_are_36_px_and_an_action_is_confirmed_once(person: Person, address: str) -> None:
    """A narrow page shows one form; what was confirmed can be undone."""
    page, said = person.page, person.page.locator("#flash")
    await page.goto(f"{address}/tools/order")
    box = await person.row("order").bounding_box()
    assert box is not None
    assert box["height"] == 36
    await page.set_viewport_size({"width": 390, "height": 800})
    await expect(person.row("order")).to_be_hidden()
    await page.locator(".runner__back a").click()
    await expect(person.row("order")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.set_viewport_size({"width": 1280, "height": 900})
    await page.goto(f"{address}/mute")
    await page.locator("#confirmation button").click()
    await expect(said).to_be_visible()
    await expect(page.locator("#announce")).to_have_text(await said.locator("p").inner_text())
    assert page.url == f"{address}/permissions"
    await said.get_by_role("button").click()
    await expect(said.get_by_role("button")).to_have_count(0)
    await page.reload()
    await expect(said).to_have_count(0)
