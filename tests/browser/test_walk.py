"""Ten questions answered one after the other: in order, with the focus where it belongs, and without jumps."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

COUNT = 10
FORM: Json = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}, "required": ["name"]}

PLACES = """() => ({
  heading: Math.round(document.querySelector("#cards h2")?.getBoundingClientRect().top ?? -1),
  list: document.querySelector(".inbox").scrollTop,
  page: scrollY,
  sideways: document.documentElement.scrollWidth > innerWidth,
})"""
"""Where the question stands, and how far list and page are scrolled."""


async def requests_of(person: Person, server: str, count: int) -> list[Json]:
    """Have a server ask so many questions, every other one without a field."""
    return [await person.ask(server, f"Question {n}?", opened=False, schema=_schema(n)) for n in range(count)]


def _schema(n: int) -> Json:
    return FORM if n % 2 == 0 else {"type": "object", "properties": {}}


async def test_ten_requests_are_answered_with_the_keyboard(person: Person, asker: str) -> None:
    requests, page = await requests_of(person, asker, COUNT), person.page
    # So low that the list is longer than its column.
    await page.set_viewport_size({"width": 1280, "height": 600})
    await page.goto(person.served.base)
    await person.live()
    keyboard, places = page.keyboard, []
    await expect(person.card(requests[0])).to_be_visible()
    await person.request_row(requests[0]).locator("a").focus()
    for n, request in enumerate(requests):
        link = person.request_row(request).locator("a")
        if n:
            await keyboard.press("j")
        await expect(link).to_be_focused()
        await keyboard.press("Enter")
        heading = person.card(request).locator("h2")
        await expect(heading).to_be_focused()
        places.append(await page.evaluate(PLACES))
        await person.read(request)
        if n % 2 == 0:
            await keyboard.press("Enter")
            await expect(person.card(request).get_by_label("Your name")).to_be_focused()
            await keyboard.type(f"Ada {n}")
            await keyboard.press("Control+Enter")
        else:
            await keyboard.press("a")
            await expect(person.card(request).locator("button[value=accept]")).to_be_focused()
            await keyboard.press("Enter")
        await expect(person.outcome(request)).to_be_focused()
    # The first card also shows the address of a server that the person has not accepted anything from.
    assert places[1:] == [places[1]] * (COUNT - 1)
    assert {(each["list"], each["page"], each["sideways"]) for each in places} == {(0, 0, False)}
    received = [(await person.result(request["call_id"]))["structuredContent"] for request in requests]
    assert [each["content"] for each in received] == [{} if n % 2 else {"name": f"Ada {n}"} for n in range(COUNT)]
    await expect(page.locator("#caught-up")).to_be_visible()


async def test_the_next_request_is_one_click_away(person: Person, asker: str) -> None:
    requests, page = await requests_of(person, asker, 6), person.page
    await page.goto(person.served.base)
    await person.live()
    places = []
    for n, request in enumerate(requests):
        await expect(person.card(request)).to_be_visible()
        places.append(await page.evaluate(PLACES))
        # The row of the question that is shown is marked, and no other.
        await expect(page.locator("[aria-current=true].request-row__link")).to_have_count(1)
        await expect(person.request_row(request).locator("a")).to_have_attribute("aria-current", "true")
        if n % 2 == 0:
            await person.card(request).get_by_label("Your name").fill(f"Ada {n}")
        await person.press(person.card(request), "accept")
        await person.settled(request)
        if n < len(requests) - 1:
            await page.locator(".detail__next a").click()
    assert places[1:] == [places[1]] * (len(requests) - 1)
