"""An answer written as JSON instead of in fields, with and without JavaScript; nothing typed is lost on the way."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, json_box, switch_to
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "count": {"type": "integer", "title": "How many", "default": 2},
        "price": {"type": "number", "title": "Price"},
        "day": {"type": "string", "format": "date", "title": "Day"},
        "sure": {"type": "boolean", "title": "Sure"},
        "meals": {"type": "array", "items": {"enum": ["lunch", "dinner"]}, "title": "Meals"},
    },
    "required": ["name"],
}


async def _open(person: Person, asker: str) -> tuple[Json, Locator]:
    request = await person.ask(asker, "Who comes?", schema=SCHEMA)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request, person.card(request)


async def _as_json(card: Locator) -> Locator:
    await switch_to(card, "json")
    editor = json_box(card)
    await expect(editor).to_be_visible()
    return editor


async def test_an_answer_goes_from_fields_to_json_and_back(writer: Person, asker: str) -> None:
    """Values keep their types, what was typed stays with a sentence, and what the fields cannot hold is named."""
    request, card = await _open(writer, asker)
    await card.get_by_label("Your name").fill("Ada “L”\u200b")
    await card.get_by_label("Price").fill("a lot")
    await card.get_by_role("checkbox", name="dinner").check()
    editor = await _as_json(card)
    assert await editor.input_value() == (
        '{\n  "name": "Ada “L”\\u200b",\n  "count": 2,\n  "price": "a lot",\n  "meals": [\n    "dinner"\n  ]\n}'
    )
    await expect(card.locator("form")).to_have_count(1)
    buttons = await card.locator("button[name=action]").all()
    assert [await button.get_attribute("value") for button in buttons] == ["accept", "decline", "cancel"]
    await _does_not_become_fields(card, editor)
    await _names_the_wrong_properties(writer, card, editor)
    await editor.fill('{"name": "two\\nlines", "price": "a lot", "sure": false, "meals": ["lunch"], "extra": [1]}')
    await switch_to(card, "form")
    left = card.get_by_role("status").filter(has_text="Not in the form, so it will not be sent")
    await expect(left).to_contain_text('"extra"')
    assert await card.get_by_label("Your name").input_value() == "two\nlines"
    assert await card.get_by_label("How many").input_value() == ""
    assert await card.get_by_label("Price").input_value() == "a lot"
    await expect(card.get_by_role("radiogroup", name="Sure").get_by_label("No", exact=True)).to_be_checked()
    await expect(card.get_by_role("checkbox", name="lunch")).to_be_checked()
    assert not writer.scripts or await complaints(writer.page) == []
    editor = await _as_json(card)
    await editor.fill(answer := '{"name": "Ada", "price": 2, "count": 12, "sure": false, "meals": []}')
    await writer.press(card, "accept")
    await writer.settled(request)
    assert json.dumps(await writer.received(request)) == answer


async def _does_not_become_fields(card: Locator, editor: Locator) -> None:
    await editor.fill('{"name": "Ada"')
    await switch_to(card, "form")
    await expect(card.get_by_role("alert")).to_contain_text("This is not JSON: line 1, character 15")
    assert await editor.input_value() == '{"name": "Ada"'


async def _names_the_wrong_properties(writer: Person, card: Locator, editor: Locator) -> None:
    typed = '{"name": null, "count": "two", "sure": 1,\n "day": "2024-02-31"}'
    await editor.fill(typed)
    await writer.press(card, "accept")
    summary = card.get_by_role("alert")
    await expect(summary).to_contain_text("name: Null is never sent")
    await editor.fill(typed.replace("null", '"Ada"'))
    await writer.press(card, "accept")
    for words in ("count: Expected a whole number", "sure: Expected yes or no", "day: Enter an existing date"):
        await expect(summary).to_contain_text(words)
    assert await editor.input_value() == typed.replace("null", '"Ada"')
    await expect(editor).to_have_attribute("aria-invalid", "true")


INVALID = {
    '{"name": "Ada", "name": "Bob"}': "“name” appears twice",
    '{"name": "' + "x" * 500_000 + '"}': "too long",
    "[]": "Expected an object",
    '{"name": "Ada",}': "line 1, character 15",
}
"""Further faults: `tests/forms`."""


async def test_the_editor_has_the_focus_and_keeps_what_is_wrong(person: Person, asker: str) -> None:
    _request, card = await _open(person, asker)
    editor = await _as_json(card)
    await expect(editor).to_be_focused()
    for typed, said in INVALID.items():
        await editor.evaluate("(box, text) => { box.value = text }", typed)
        await person.press(card, "accept")
        await expect(card.get_by_role("alert")).to_contain_text(said)
        await expect(card.get_by_role("alert")).to_be_focused()
        assert await editor.input_value() == typed
    assert await complaints(person.page) == []
    async with person.page.expect_response("**/draft"):
        await editor.fill('{"name": "Ada"')
    await person.page.reload()
    assert await editor.input_value() == '{"name": "Ada"'


async def test_enter_in_a_field_sends_and_does_not_switch(person: Person, asker: str) -> None:
    request, card = await _open(person, asker)
    await card.get_by_label("Your name").fill("Ada")
    await person.read(request)
    await card.get_by_label("Your name").press("Enter")
    await person.settled(request)


async def test_switching_shows_an_answer_that_came_first(person: Person, asker: str) -> None:
    """The tab has lost its stream, so its card is still there when the answer has been given."""
    late = Person(await person.page.context.new_page(), person.served, person.api)
    await late.page.route("**/stream*", lambda route: route.abort())
    request, card = await _open(late, asker)
    await late.api.answer(request, action="decline")
    await switch_to(card, "json")
    await late.settled(request, "declined")
