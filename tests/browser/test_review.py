"""The preview before sending is exactly what goes out; and the small aids for typing."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, json_box, open_preview, switch_to
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "site": {"type": "string", "title": "Website"},
        "count": {"type": "integer", "title": "How many", "default": 2},
        "kind": {"enum": ["small", "large"], "title": "Kind", "default": "small"},
        "note": {"type": "string", "title": "Note", "maxLength": 5},
        "day": {"type": "string", "format": "date", "title": "Day"},
        "moment": {"type": "string", "format": "date-time", "title": "Moment"},
    },
    "required": ["name"],
}


async def _open(person: Person, asker: str, schema: Json = SCHEMA) -> tuple[Json, Locator]:
    request = await person.ask(asker, "Who comes?", schema=schema)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request, person.card(request)


async def test_the_review_follows_typing_and_is_what_is_sent(person: Person, asker: str) -> None:
    request, card = await _open(person, asker)
    await open_preview(card)
    preview = card.locator(f"#preview-{request['id']}")
    await expect(preview).to_contain_text("Not ready to send")
    await card.get_by_label("Your name").fill("Ada")
    await card.get_by_label("How many").fill("3")
    await expect(preview).to_contain_text("How many: changed (default was 2)")
    await expect(preview).to_contain_text("Kind: default")
    await expect(preview).to_contain_text("Not sent: Website, Note, Day, Moment")
    await card.get_by_label("How many").fill("")
    await expect(preview).to_contain_text("How many: cleared (default was 2)")
    assert await complaints(person.page) == []
    await card.get_by_label("Date and time").fill("2026-07-01T09:30")
    await card.get_by_label("Time zone").fill("Asia/Tokyo")
    await expect(preview.locator("pre")).to_contain_text("+09:00")
    shown = await preview.locator("pre").inner_text()
    await person.press(card, "accept")
    await person.settled(request)
    assert json.dumps(json.loads(shown)) == json.dumps(await person.received(request))


async def test_an_answer_typed_as_json_is_reviewed_too(person: Person, asker: str) -> None:
    """The switch to JSON keeps nothing that is incomplete."""
    request, card = await _open(person, asker)
    await card.get_by_label("Day").focus()
    await person.page.keyboard.type("12")
    await switch_to(card, "json")
    await expect(card.get_by_role("alert")).to_be_visible()
    await card.get_by_label("Day").fill("2026-12-24")
    await expect(card.get_by_role("alert")).to_have_count(0)
    await switch_to(card, "json")
    await expect(json_box(card)).to_be_visible()
    await open_preview(card)
    preview = card.locator(f"#preview-{request['id']}")
    await json_box(card).fill('{"kind": "small", "name":"Ada",   "more": 1.50}')
    await expect(preview).to_contain_text("Not sent: Website, How many, Note, Day, Moment")
    shown = await preview.locator("pre").inner_text()
    await person.press(card, "accept")
    await person.settled(request)
    assert json.dumps(json.loads(shown)) == json.dumps(await person.received(request))
    assert json.loads(shown) == {"kind": "small", "name": "Ada", "more": 1.5}


async def test_points_09_and_10_lengths_boxes_and_a_half_typed_date(person: Person, asker: str) -> None:
    """The counter counts code points; a line becomes a box on demand or on paste; a date is whole or not sent."""
    request, card = await _open(person, asker)
    name, note, counter = card.get_by_label("Your name"), card.get_by_label("Note"), card.locator("[data-counts]")
    await expect(counter).to_have_text("0 of 5 characters")
    await name.fill("Ada")
    await person.page.keyboard.press("Shift+Tab")
    await expect(card.get_by_role("button", name="Multi-line").first).to_be_focused()
    await person.page.keyboard.press("Enter")
    await expect(name).to_be_focused()
    await person.page.keyboard.press("End")
    await person.page.keyboard.press("Enter")
    await person.page.keyboard.type("Lovelace")
    await card.get_by_label("Website").evaluate(
        """line => {
          const clipboardData = new DataTransfer()
          clipboardData.setData("text/plain", "one\\r\\ntwo")
          line.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
        }"""
    )
    await note.fill("👩‍💻💩💩")
    await expect(counter.locator("[aria-hidden]")).to_have_text("5 of 5 characters")
    await note.fill("👩‍💻💩💩!")
    await expect(counter.locator("[aria-hidden]")).to_have_text("6 of 5 characters: 1 too many")
    await expect(counter.get_by_role("status")).to_have_text("6 of 5 characters: 1 too many")
    await person.press(card, "accept")
    await expect(card.locator("p.field__error")).to_contain_text("at most 5 characters (now 6)")
    await expect(counter.locator("[aria-hidden]")).to_have_text("6 of 5 characters: 1 too many")
    await note.fill("👩‍💻💩💩")
    await card.get_by_label("Day").focus()
    await person.page.keyboard.type("12")
    await person.press(card, "accept")
    problem = card.get_by_text("This is incomplete. Complete it or clear it.")
    await expect(problem).to_have_role("alert")
    await expect(card.get_by_label("Day")).to_be_focused()
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await card.get_by_label("Day").fill("2026-12-24")
    await expect(problem).to_have_count(0)
    await person.press(card, "accept")
    await person.settled(request)
    received = await person.received(request)
    assert [received[each] for each in ("name", "site", "note", "day")] == [
        "Ada\nLovelace",
        "one\ntwo",
        "👩‍💻💩💩",
        "2026-12-24",
    ]
    # What is half typed does not stand in the way of a no.
    request, card = await _open(person, asker)
    await card.get_by_label("Day").focus()
    await person.page.keyboard.type("12")
    await person.press(card, "decline")
    await person.settled(request, "declined")


async def test_point_34_the_zone_is_the_browsers_until_changed(chromium: Browser, person: Person, asker: str) -> None:
    context = await chromium.new_context(timezone_id="America/New_York")
    traveller = Person(await context.new_page(), person.served, person.api)
    await traveller.sign_in()
    request, card = await _open(traveller, asker)
    await expect(card.get_by_label("Time zone")).to_have_value("America/New_York")
    await traveller.press(card, "accept")
    await expect(card.locator(".field__error").first).to_be_visible()
    await expect(card.get_by_label("Time zone")).to_have_value("America/New_York")
    await card.get_by_label("Your name").fill("Ada")
    await card.get_by_label("Date and time").fill("2026-12-24T18:30")
    await traveller.press(card, "accept")
    await traveller.settled(request)
    assert (await traveller.received(request))["moment"] == "2026-12-24T18:30:00-05:00"
    await context.close()


async def test_point_07_the_box_for_empty_appears_once_it_matters(person: Person, asker: str) -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Your name"},
            "note": {"type": "string", "title": "Note", "default": "Hello"},
        },
        "required": ["name"],
    }
    request, card = await _open(person, asker, schema)
    boxes, more = card.get_by_label("Send empty text"), card.locator("details.field__empty > summary")
    await expect(more).to_be_hidden()
    await card.get_by_label("Note", exact=True).fill("")
    await expect(more).to_be_visible()
    await person.press(card, "accept")
    await expect(card.locator(".field__error")).to_have_text("Error: Required")
    await expect(boxes).to_have_count(2)
    assert [await box.is_visible() for box in await boxes.all()] == [False, False]
    await more.first.click()
    await boxes.first.check()
    await person.press(card, "accept")
    await person.settled(request)
    assert await person.received(request) == {"name": ""}


async def test_point_07_typing_unticks_the_box_for_an_empty_list(person: Person, asker: str) -> None:
    names: Json = {"type": "array", "items": {"type": "string"}, "title": "Names", "default": []}
    request, card = await _open(person, asker, {"type": "object", "properties": {"names": names}})
    box = card.get_by_label("Send an empty list")
    await expect(box).to_be_checked()
    await card.get_by_label("Names").press_sequentially("Ada")
    await expect(box).not_to_be_checked()
    await person.press(card, "accept")
    await person.settled(request)
    assert await person.received(request) == {"names": ["Ada"]}
