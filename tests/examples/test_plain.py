"""The plain chat app: two people who are signed in, and the answer of one of them, at each width of a window."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.examples.chat import Chat, accepts_another_date, chat, inbox_of, sees_no_requests
from tests.examples.widths import walk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def app(chromium: Browser) -> AsyncIterator[Chat]:
    """Run the example for all tests here."""
    async with chat("plain", chromium) as running:
        yield running


async def test_the_plain_example_answers_one_of_two_people(app: Chat) -> None:
    ada, grace = await app.visited(), await app.visited()
    await ada.get_by_role("button", name="Sign in as Ada").click()
    await grace.get_by_role("button", name="Sign in as Grace").click()
    await sees_no_requests(grace)
    await ada.get_by_role("button", name="Send").click()
    await expect(inbox_of(ada).locator("article.card")).to_be_visible()
    await grace.reload()
    await sees_no_requests(grace)
    # The conversation is not the page's alone: the agent goes on, and both are there again.
    await ada.reload()
    await accepts_another_date(ada)
    await expect(ada.get_by_role("log")).to_contain_text("Booked for")
    await expect(grace.get_by_role("log")).to_be_empty()
    await ada.get_by_role("button", name="Sign out").click()
    await expect(ada.locator("mcp-inbox")).to_have_count(0)


async def test_a_question_is_answered_at_each_width(app: Chat) -> None:
    await walk(app, "plain")
