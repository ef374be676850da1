"""The chat app in Streamlit, whose script runs again at each event: nothing typed is lost, and two people are apart."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from tests.examples.chat import accepts_another_date, chat, inbox_of, sees_no_requests

pytestmark = pytest.mark.anyio


async def say(page: Page, text: str) -> None:
    """Send a message in the conversation, and wait until it stands there."""
    await page.get_by_test_id("stChatInputTextArea").fill(text)
    await page.get_by_test_id("stChatInputTextArea").press("Enter")
    await expect(page.get_by_test_id("stChatMessageContent").get_by_text(text)).to_be_visible()


async def test_the_streamlit_example_answers_one_of_two_people(chromium: Browser) -> None:
    async with chat("streamlit", chromium) as app:
        ada, grace = await app.visited(), await app.visited()
        await ada.get_by_role("button", name="Sign in as Ada").click()
        await say(ada, "Please book me a trip")
        card = inbox_of(ada).locator("article.card")
        await card.get_by_label("Other date").first.fill("2026-12-28")
        # Runs of the script leave the frame, and the text in it, alone.
        await say(ada, "And now?")
        await expect(ada.get_by_text("I can book a trip")).to_be_visible()
        await expect(card.get_by_label("Other date").first).to_have_value("2026-12-28")
        await grace.get_by_role("button", name="Sign in as Grace").click()
        await sees_no_requests(grace)
        await accepts_another_date(ada)
        await expect(ada.get_by_text("Booked for 2026-12-28")).to_be_visible()
        await expect(grace.get_by_test_id("stChatMessage")).to_have_count(0)
