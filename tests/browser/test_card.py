"""The card of a question: its height, its head line, its errors, and a press that comes too early."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, open_menu
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

BOOKING: Json = {
    "type": "object",
    "properties": {
        "again": {"type": "boolean", "title": "Try another date?"},
        "date": {"type": "string", "format": "date", "title": "Other date"},
    },
    "required": ["again"],
}
NUMBER: Json = {"type": "object", "properties": {"n": {"type": "integer", "title": "Replicas"}}, "required": ["n"]}
NO_FIELDS: Json = {"type": "object", "properties": {}}
HEIGHTS = ((NO_FIELDS, 160), (NUMBER, 240), (BOOKING, 300))
"""Pixels of a confirmation, of one field and of a booking, in a window 1280 wide."""
FONTS = 1.08
"""Fonts of other systems are at most so much higher."""


async def height(element: Locator) -> float:
    box = await element.bounding_box()
    assert box
    return box["height"]


async def say_yes(person: Person, asker: str) -> None:
    """Approve a question, so that later ones need not say where they come from."""
    request = await person.ask(asker, "First?", schema=NO_FIELDS)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.press(person.card(request), "accept")
    await person.settled(request)


async def test_a_card_is_as_low_as_its_question_and_unfolds_its_server(person: Person, asker: str) -> None:
    await say_yes(person, asker)
    for schema, most in HEIGHTS:
        request = await person.ask(asker, "Deploy webclient 2.4.1 to production now?", schema=schema)
        await person.page.goto(f"{person.served.base}/requests/{request['id']}")
        card = person.card(request)
        assert await height(card) <= most * FONTS
        # One line, although the arguments of the call are long.
        assert await height(card.locator(".card__head")) <= 24 * FONTS
        if schema is HEIGHTS[-1][0]:
            break
        await person.press(card, "decline")
        await person.settled(request, "declined")
    address = card.locator(".card__address")
    await expect(card.locator(".card__label")).to_have_text(asker)
    await expect(address).to_be_hidden()
    await card.locator("summary", has_text=f"About {asker}").click()
    await expect(address).to_be_visible()
    await expect(card.locator(".card__claims")).to_have_text("Says it is “Asker”")
    assert await complaints(person.page) == []


async def test_the_title_of_the_tool_stands_for_its_name(person: Person) -> None:
    server = await person.api.server("Demo trips")
    # As on the pages of calls, titles are known once the program has read the list of tools.
    await person.page.goto(f"{person.served.base}/servers/{server}/tools")
    call = await person.api.call("Demo trips", "book_trip", {"date": "2026-12-24"})
    [request] = await person.api.pending_requests(call)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    name = person.card(request).locator(".card__call")
    await expect(name).to_have_text("Book a trip (date: 2026-12-24)")
    await expect(name).to_have_attribute("title", "book_trip")
    await expect(person.request_row(request)).to_contain_text("Book a trip")
    # A row that is pushed has it as well.
    [other] = await person.api.pending_requests(
        await person.api.call("Demo trips", "book_trip", {"date": "2026-12-24"})
    )
    await expect(person.request_row(other)).to_contain_text("Book a trip")
    await open_menu(person.card(request))
    await expect(person.card(request).locator(".card__menu code").first).to_have_text("book_trip")


async def test_a_saved_answer_of_a_round_can_be_changed(person: Person, round_asker: str) -> None:
    """The questions of a round are answered in any order: here the second one comes first."""
    call = await person.api.call(round_asker, "ask_many", {"n": 2})
    last, first = await person.api.pending_requests(call)
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    send = person.card(last).locator("button[value=accept]")
    said_first = await send.inner_text()
    await person.card(first).get_by_label("Name").fill("Too early")
    await person.read(first)
    await person.press(person.card(first), "accept")
    await person.settled(first)
    # The last one sends both, and says so.
    await expect(send).not_to_have_text(said_first)
    await person.outcome(first).get_by_role("button", name="Change").click()
    await expect(person.card(first).get_by_label("Name")).to_have_value("Too early")
    await expect(send).to_have_text(said_first)
    assert (await person.api.json("GET", f"/requests/{first['id']}"))["state"] == "pending"
    await person.card(first).get_by_label("Name").fill("Ada")
    await person.read(first)
    await person.press(person.card(first), "accept")
    await person.settled(first)
    await person.card(last).get_by_label("Name").fill("Grace")
    await person.press(person.card(last), "accept")
    done = await person.api.in_state(call, "done")
    names = {answer["content"]["name"] for answer in done["result"]["structuredContent"].values()}
    assert names == {"Ada", "Grace"}
    await expect(person.outcome(first).get_by_role("button", name="Change")).to_have_count(0)
    assert (await person.api.post(f"/requests/{first['id']}/reopen")).status_code == 409


async def test_a_card_says_what_is_too_early_and_what_is_wrong(person: Person, asker: str) -> None:
    await person.live()
    request = await person.ask(asker, "How many?", schema=NUMBER)
    card = person.card(request)
    said = card.locator(".answers__not-ready")
    # A button takes no clicks for 700 ms after its card has been moved.
    await person.read(request)
    before = await height(card)
    await person.page.evaluate("document.querySelector('#cards').prepend(document.createElement('div'))")
    box = await card.locator("button[value=accept]").bounding_box()
    assert box
    await person.page.mouse.click(box["x"] + 9, box["y"] + 9)
    await expect(said).not_to_be_empty()
    assert await height(card) == before
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await expect(said).to_be_empty()

    # Escape folds what the three dots unfold.
    dots = card.locator(".card__more > summary")
    await dots.click()
    await card.locator(".card__menu").get_by_text("Preview", exact=True).click()
    await person.page.keyboard.press("Escape")
    await expect(card.locator(".card__menu")).to_be_hidden()
    await expect(dots).to_be_focused()

    # An error goes when its field is corrected.
    number = card.get_by_label("Replicas")
    await number.fill("12,50")
    place = await number.bounding_box()
    await person.read(request)
    await person.press(card, "accept")
    await expect(card.locator(".field__error")).to_contain_text("12.50")
    # It moves down by its error, and not to the side.
    wrong = await number.bounding_box()
    assert place
    assert wrong
    assert (wrong["x"], wrong["width"]) == (place["x"], place["width"])
    # One error needs no summary: its field gets the focus.
    await expect(number).to_be_focused()
    await expect(card.locator(".error-summary")).to_have_count(0)
    assert await complaints(person.page) == []
    await number.fill("12.5")
    await expect(card.locator(".field__error")).to_contain_text("whole number")
    await number.fill("12")
    await expect(card.locator(".field__error")).to_have_count(0)
    await expect(number).not_to_have_attribute("aria-invalid", "true")
    missing = "(node) => node.getAttribute('aria-describedby').split(' ').filter((id) => !document.getElementById(id))"
    assert await number.evaluate(missing) == []
    await person.press(card, "accept")
    await person.settled(request)
