"""The list of the inbox: as wide as the window allows, with titles that can be read and ages that cannot be misread."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from tests.browser.person import Person
from webclient.web.http.language import COOKIE

pytestmark = pytest.mark.anyio

TITLE = "Which of the three contracts with the office in Kreuzberg should be prolonged by another twelve months?"

TWO_LINES = """(places) => {
  const [one, two] = places.map((place) => document.querySelector(place)?.offsetHeight)
  return one > 0 && Math.abs(two - 2 * one) <= 1
}"""
"""Whether the second of two texts is twice as high as the first."""


async def test_the_list_grows_and_titles_have_two_lines(person: Person, asker: str) -> None:
    short = await person.ask(asker, "Why?", opened=False)
    long = await person.ask(asker, TITLE * 3, opened=False)
    for window, least, most in ((1920, 542, 546), (1440, 430, 434), (1024, 350, 354)):
        await person.page.set_viewport_size({"width": window, "height": 900})
        box = await person.page.locator(".inbox").bounding_box()
        assert box
        assert least <= box["width"] <= most, window
    # In one look: a row that has just come may be replaced by a push.
    await person.page.wait_for_function(
        TWO_LINES, arg=[f"#row-{each['id']} .request-row__text" for each in (short, long)]
    )


async def test_an_age_that_grows_stays_in_the_past(person: Person, asker: str) -> None:
    request = await person.ask(asker, TITLE, opened=False)
    moved = datetime.fromisoformat(request["created_at"]).astimezone(UTC) + timedelta(minutes=31, seconds=5)
    await person.page.clock.set_fixed_time(moved)
    for language, wanted in (("en", "31 min ago"), ("zh-Hans", "31 分钟前")):
        await person.page.context.add_cookies([{"name": COOKIE, "value": language, "url": person.served.base}])
        await person.page.goto(person.served.base)
        await expect(person.request_row(request).locator("time")).to_have_text(wanted)


async def test_a_row_says_draft_while_typed_text_is_saved(person: Person, asker: str) -> None:
    await person.live()
    request = await person.ask(asker, TITLE)
    mark = person.request_row(request).locator(".request-row__draft")
    name = person.card(request).get_by_label("Name")
    await name.fill("Ada")
    await expect(mark).to_be_visible()
    await expect(name).to_be_focused()
    await name.fill("")
    await expect(mark).to_have_count(0)
