"""The form with a field of every kind: filled in by hand, and left as it is."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.every_field import ANSWER, TITLE
from tests.browser.person import Person
from webclient.support.standard_json import json_equal

pytestmark = pytest.mark.anyio


async def _open(person: Person) -> Locator:
    await person.run(TITLE)
    await person.live()
    card = person.page.locator("article")
    await expect(card).to_be_visible()
    return card


async def _fill_what_is_required(card: Locator) -> None:
    await card.get_by_label("Booking code").fill("ABC-123")
    await card.get_by_label("Email").fill("ada@example.com")
    await card.get_by_label("Departure").fill("2026-07-01")
    await card.get_by_label("Budget").fill("12.50")
    await card.get_by_role("radio", name="summer").check()
    await card.get_by_role("checkbox", name="lunch").check()


async def test_all_thirteen_kinds_arrive_with_their_json_types(person: Person) -> None:
    card = await _open(person)
    await _fill_what_is_required(card)
    await card.get_by_label("Website").fill("https://example.com/ada")
    await card.get_by_label("Date and time").fill("2026-07-01T09:30")
    await card.get_by_label("Time zone").fill("+02:00")
    await card.get_by_label("Travellers").fill("3")
    await card.get_by_role("radiogroup", name="Travel insurance").get_by_label("Yes").check()
    await card.get_by_role("radio", name="Business class").check()
    await card.get_by_role("radio", name="Window").check()
    await card.get_by_role("checkbox", name="breakfast").check()
    await card.get_by_role("checkbox", name="Bicycle").check()
    await person.press(card, "accept")
    received = await person.result_here()
    assert received["structuredContent"]["action"] == "accept"
    assert json_equal(received["structuredContent"]["content"], ANSWER)


async def test_errors_are_at_the_fields_and_in_a_summary(person: Person) -> None:
    card = await _open(person)
    await _fill_what_is_required(card)
    await card.get_by_label("Booking code").fill("abc")
    await card.get_by_label("Budget").fill("a lot")
    await card.get_by_label("Travellers").fill("many")
    await person.press(card, "accept")
    summary = card.get_by_role("alert")
    await expect(summary).to_be_focused()
    await expect(summary.get_by_role("link")).to_have_count(3)
    code = card.get_by_label("Booking code")
    await expect(code).to_have_attribute("aria-invalid", "true")
    assert [await code.input_value(), await card.get_by_label("Budget").input_value()] == ["abc", "a lot"]
    assert await card.get_by_label("Email").input_value() == "ada@example.com"
    await expect(card.get_by_role("radio", name="summer")).to_be_checked()
    await expect(card.get_by_role("checkbox", name="lunch")).to_be_checked()
    await summary.get_by_role("link").first.click()
    await expect(code).to_be_focused()
    await code.fill("ABC-123")
    # A line goes with its error.
    await expect(summary.get_by_role("link")).to_have_count(2)
    await card.get_by_label("Travellers").fill("")
    await card.get_by_label("Budget").fill("12.50")
    await person.press(card, "accept")
    content = (await person.result_here())["structuredContent"]["content"]
    assert content["budget"] == 12.5
    # Optional fields that have no default and were not touched are absent.
    assert set(content) & {"website", "meeting", "seat"} == set()
