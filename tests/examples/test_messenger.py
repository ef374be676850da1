"""The chat app with bars that stay: the inbox as a message, a panel and a badge, and its end at the sign-out."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.examples.chat import Chat, chat, inbox_of, sees_no_requests
from tests.examples.widths import VIEWS, walk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def app(chromium: Browser) -> AsyncIterator[Chat]:
    """Run the example for all tests here."""
    async with chat("messenger", chromium) as running:
        yield running


@pytest.mark.parametrize("place", ["message", "panel", "badge"])
async def test_the_messenger_answers_in_each_place(app: Chat, place: str) -> None:
    page = await walk(app, f"messenger: {place}")
    await expect(page.get_by_role("link", name=place)).to_have_attribute("aria-current", "page")
    await expect(page).to_have_title("Team chat")
    # The agent has gone on each time.
    requests = await page.locator("li.user", has_text="Book me a trip").count()
    assert requests >= len(VIEWS)
    await expect(page.get_by_role("log").get_by_text("Booked for")).to_have_count(requests)


async def test_a_sign_out_of_the_messenger_clears_its_pages(app: Chat) -> None:
    page = await app.visited()
    await page.goto(f"{app.address}/?panel")
    await page.get_by_role("button", name="Sign in as Grace").click()
    await sees_no_requests(page)
    await page.get_by_role("button", name="Send").click()
    await expect(inbox_of(page).locator("article.card")).to_be_visible()
    other = await page.context.new_page()
    await other.goto(f"{app.address}/?panel")
    await expect(inbox_of(other).locator("article.card")).to_be_visible()
    await page.get_by_role("button", name="Sign out Grace").click()
    await expect(page.get_by_role("button", name="Sign in as Ada")).to_be_visible()
    await expect(page.locator("mcp-inbox")).to_have_count(0)
    # A page of hers that was left open is cleared too.
    await expect(inbox_of(other).locator("article.card")).to_have_count(0)
