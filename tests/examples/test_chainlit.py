"""The chat app on Chainlit: from the question in the conversation to the answer, with two people."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.browser.test_embedding_in_chats import DOCS
from tests.examples.chat import Chat, accepts_another_date, chat, inbox_of, sees_no_requests
from tests.examples.people import NARROW, enter
from tests.examples.people import say_in_chainlit as say
from tests.examples.people import sign_in_to_chainlit as sign_in
from tests.examples.widths import VIEWS, outcome, show_again, walk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def app(chromium: Browser) -> AsyncIterator[Chat]:
    """Run the example for all tests here."""
    async with chat("chainlit", chromium) as running:
        yield running


async def test_the_chainlit_example_answers_one_of_two_people(app: Chat) -> None:
    ada, grace = await app.visited(), await app.visited()
    await sign_in(ada, "ada")
    await sign_in(grace, "grace")
    await sees_no_requests(grace)
    await say(ada, "Book me a trip")
    card = inbox_of(ada).locator("article.card")
    await expect(card).to_be_visible()
    await expect(ada).to_have_title(re.compile("1"))

    # The conversation goes on beside the question, and takes nothing of what was typed there.
    height = await card.evaluate("element => element.offsetHeight")
    await card.locator("input[type=date]").fill("2026-12-27")
    await expect(card.locator(".draft")).not_to_be_empty()
    assert await card.evaluate("element => element.offsetHeight") == height
    await say(ada, "Are you there?")
    await expect(ada.get_by_text("I can book a trip")).to_have_count(2)
    await expect(card.locator("input[type=date]")).to_have_value("2026-12-27")

    await accepts_another_date(ada)
    await expect(ada.get_by_text("Booked for 2026-12-27")).to_be_visible()
    await expect(ada).not_to_have_title(re.compile("1"))
    await sees_no_requests(grace)
    await expect(grace.get_by_text("Booked")).to_have_count(0)
    await ada.reload()
    await expect(ada.get_by_text("Booked for 2026-12-27")).to_be_visible()


async def test_a_question_waits_while_its_person_is_signed_out(app: Chat) -> None:
    page = await app.visited()
    await sign_in(page, "grace")
    await say(page, "Reserve a table")
    await expect(inbox_of(page).locator("article.card")).to_be_visible()
    await page.get_by_role("button", name="G", exact=True).click()
    await page.get_by_role("menuitem", name="Logout").click()
    await expect(page.locator("#email")).to_be_visible()
    await expect(page.locator("mcp-inbox")).to_have_count(0)
    await sign_in(page, "ada")
    await sees_no_requests(page)
    await page.context.clear_cookies()
    await page.reload()
    await sign_in(page, "grace")
    await expect(inbox_of(page).locator("article.card")).to_be_visible()


async def test_the_frame_has_the_looks_of_chainlit(app: Chat) -> None:
    page = await app.visited()
    await sign_in(page, "grace")
    root = inbox_of(page).locator("html")
    await expect(root).to_have_css("color-scheme", "light")
    await page.evaluate("document.documentElement.className = 'dark'")
    await expect(root).to_have_css("color-scheme", "dark")
    await expect(inbox_of(page).locator("body")).to_have_css("background-color", "rgb(46, 46, 46)")


async def test_a_question_is_answered_at_each_width(app: Chat) -> None:
    page = await walk(app, "chainlit")
    rows = []
    asking = await page.context.new_page()
    await asking.goto(app.address)
    await enter(asking, "chainlit")
    for view in VIEWS:
        if view.width >= NARROW:
            continue
        # The sheet is open from the start, and covers where one types: the person asks in another window.
        await show_again(page, view)
        await sees_no_requests(page)
        await say(asking, "Book me a trip")
        rows.append(await outcome(page, "chainlit: sheet left open", view))
        await expect(inbox_of(asking).locator("article.card")).to_have_count(0)
    assert [each for each in rows if each not in DOCS] == []
