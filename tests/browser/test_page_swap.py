"""A tool that is run shows the page of its call in the same document; to the person it is a page like any other."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.browser.person import Person
from tests.program import Api, Program

pytestmark = pytest.mark.anyio

TOOL = "Book a trip"
FULL = "2026-12-24"


async def test_the_question_is_shown_without_loading_a_page(person: Person) -> None:
    """The page goes on with a stream of its own, and back, forward and reload load the page of their address."""
    page = person.page
    await page.goto(person.served.base)
    await page.get_by_role("link", name="Demo trips").first.click()
    await person.live()
    await person.open_tool(TOOL)
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url) if request.is_navigation_request() else None)
    await person.tool(TOOL).get_by_label("Date").fill(FULL)
    await person.run_button(TOOL).click()
    await expect(page.locator("article")).to_be_visible()
    await expect(page).to_have_url(call := f"{person.served.base}/calls/{await _call(person.api)}")
    await expect(page).to_have_title("(1) Book a trip · mcp-webclient")
    await expect(page.get_by_role("heading", level=1)).to_be_focused()
    await expect(page.get_by_role("link", name="Calls", exact=True)).to_have_attribute("aria-current", "page")
    await expect(page.locator(".event").first).to_have_css("display", "grid")
    await person.live()
    await page.get_by_role("button", name="Decline").click()
    await expect(page.locator(".head .status")).to_have_attribute("data-status", "declined")
    await expect(page.locator("#announce")).to_contain_text("book_trip completed")
    await expect(page.get_by_text("Booking cancelled").first).to_be_visible()
    await expect(page).to_have_title("Book a trip · mcp-webclient")
    assert loaded == []

    await page.go_back()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Demo trips")
    await person.live()
    await page.go_forward()
    await expect(page.get_by_text("Booking cancelled").first).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("Booking cancelled").first).to_be_visible()
    assert page.url == call
    assert loaded[-2:] == [call, call]


async def test_wrong_arguments_leave_address_and_history_as_they_are(person: Person, asker: str) -> None:
    await person.run("order", asker)
    await expect(person.page.locator(".error-summary")).to_be_focused()
    assert person.page.url.endswith("/tools/order")
    await person.page.go_back()
    await expect(person.page.locator("#runner")).to_have_attribute("data-state", "none")


async def test_without_scripts_the_question_is_there_at_once(chromium: Browser, served: Program, api: Api) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    person = Person(await context.new_page(), served, api)
    await person.sign_in()
    await person.run(TOOL, Date=FULL)
    await expect(person.page.locator("article")).to_be_visible()
    assert person.page.url.endswith(f"/calls/{await _call(api)}")
    await person.page.get_by_role("button", name="Decline").click()
    await context.close()


async def _call(api: Api) -> str:
    [request] = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
    return str(request["call_id"])
