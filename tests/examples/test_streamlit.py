"""The chat app in Streamlit, whose script runs again at each event: nothing typed is lost, and two people are apart."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.examples.chat import Chat, accepts_another_date, chat, inbox_of, sees_no_requests
from tests.examples.people import say_in_streamlit as say
from tests.examples.widths import walk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def app(chromium: Browser) -> AsyncIterator[Chat]:
    """Run the example for all tests here."""
    async with chat("streamlit", chromium) as running:
        yield running


async def test_the_streamlit_example_answers_one_of_two_people(app: Chat) -> None:
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


async def test_a_question_is_answered_at_each_width(app: Chat) -> None:
    await walk(app, "streamlit")
