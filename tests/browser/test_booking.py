"""The dialogue of the demo: a full date asks for another, and each answer ends as it should.

It runs in Chromium itself, as people use it; the other page tests run in its headless shell, which is quicker.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Playwright, expect

from tests.browser.person import Person
from tests.chromium import launched

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def chromium(playwright: Playwright) -> AsyncIterator[Browser]:
    """Chromium, with all of its own interface."""
    async with launched(playwright, headless_shell=False) as browser:
        yield browser


FULL, FREE = "2026-12-24", "2026-07-01"


async def _ask_for(person: Person, date: str) -> None:
    await person.run("Book a trip", Date=date)
    await person.live()


async def _sees(person: Person, text: str) -> None:
    await expect(person.page.get_by_text(text).first).to_be_visible()


async def test_a_free_date_is_booked_without_a_question(person: Person) -> None:
    await _ask_for(person, FREE)
    await _sees(person, f"Booked for {FREE}")


async def test_accepting_another_date_books_it(person: Person) -> None:
    await _ask_for(person, FULL)
    card = person.page.locator("article")
    await expect(card).to_contain_text(f"{FULL} is full. Try another date?")
    await expect(card).to_contain_text("Demo trips")
    await expect(card).to_contain_text("book_trip")
    await card.get_by_role("radio", name="Yes").check()
    await card.get_by_label("Other date").fill("2026-12-27")
    await person.press(card, "accept")
    await _sees(person, "Booked for 2026-12-27")


async def test_accepting_as_prefilled_books_the_suggested_date(person: Person) -> None:
    await _ask_for(person, FULL)
    card = person.page.locator("article")
    suggested = await card.get_by_label("Other date").input_value()
    await card.get_by_role("radio", name="Yes").check()
    await person.press(card, "accept")
    await _sees(person, f"Booked for {suggested}")


async def test_accepting_without_another_date_books_nothing(person: Person) -> None:
    await _ask_for(person, FULL)
    card = person.page.locator("article")
    await card.get_by_role("radio", name="No", exact=True).check()
    await person.press(card, "accept")
    await _sees(person, "No booking made")


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_declining_and_cancelling_book_nothing(person: Person, action: str) -> None:
    await _ask_for(person, FULL)
    await person.press(person.page.locator("article"), action)
    await _sees(person, "Booking cancelled")


async def test_the_question_appears_in_the_inbox_of_another_tab(person: Person) -> None:
    other = await person.page.context.new_page()
    await other.goto(person.served.base)
    await expect(other.locator("#stream-state")).to_have_attribute("data-state", "live")
    await _ask_for(person, FULL)
    await expect(other.locator("article")).to_contain_text(f"{FULL} is full")
    await expect(other).to_have_title("(1) Inbox · mcp-webclient")
