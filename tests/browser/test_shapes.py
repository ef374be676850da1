"""A choice at the root of a form: an option, then its fields, with and without JavaScript; nothing typed is lost."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person, open_preview, switch_to
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

DECISION = {
    "oneOf": [
        {"title": "Approve", "properties": {"type": {"const": "approve"}}, "required": ["type"]},
        {
            "title": "Approve with changes",
            "description": "Runs the call with other arguments.",
            "properties": {
                "type": {"const": "edit"},
                "args": {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}},
            },
            "required": ["type", "args"],
        },
        {
            "title": "Reject",
            "properties": {"type": {"const": "reject"}, "message": {"type": "string", "title": "Why", "minLength": 3}},
            "required": ["type", "message"],
        },
    ]
}


async def _new_request(person: Person) -> Json:
    body = {"kind": "form", "message": "Refund order 4711?", "requestedSchema": DECISION, "label": "billing"}
    request: Json = await person.api.json("POST", "/requests", 201, json=body)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request


async def _content(person: Person, request: Json) -> Json:
    answered: Json = await person.api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
    content: Json = answered["content"]
    return content


async def test_an_option_is_chosen_and_its_fields_are_filled_in(writer: Person) -> None:
    request = await _new_request(writer)
    card = writer.card(request)
    await expect(card.get_by_label("Why")).to_be_hidden()
    await card.get_by_role("radio", name="Reject").check()
    await expect(card.get_by_label("amount")).to_be_hidden()
    assert not writer.scripts or await complaints(writer.page) == []
    await card.get_by_label("Why").fill("no")
    await writer.press(card, "accept")
    wrong = card.locator(".field__error")
    await expect(wrong).to_have_count(1)
    await card.get_by_role("link", name="Why").click()
    await expect(card.get_by_label("Why")).to_be_focused()
    await card.get_by_label("Why").fill("Not today")
    await writer.press(card, "accept")
    assert await _content(writer, request) == {"type": "reject", "message": "Not today"}


async def test_without_a_choice_nothing_is_sent(writer: Person) -> None:
    request = await _new_request(writer)
    card = writer.card(request)
    await writer.press(card, "accept")
    await card.get_by_role("link", name="Choose one").click()
    await expect(card.get_by_role("radio", name="Approve", exact=True)).to_be_focused()
    await card.get_by_role("radio", name="Approve", exact=True).check()
    await writer.press(card, "accept")
    assert await _content(writer, request) == {"type": "approve"}


async def test_a_draft_keeps_the_choice_and_both_shapes(person: Person) -> None:
    request = await _new_request(person)
    card = person.card(request)
    await card.get_by_role("radio", name="Reject").check()
    await card.get_by_label("Why").fill("Too late")
    await card.get_by_role("radio", name="Approve with changes").check()
    await card.get_by_label("amount").fill("12.5")
    await person.draft_saved(request)
    await person.page.reload()
    await expect(card.get_by_label("amount")).to_have_value("12.5")
    await open_preview(card)
    await expect(card.locator(".preview")).to_contain_text('"amount": 12.5')
    await expect(card.get_by_text("Fixed value")).to_have_count(0)
    await switch_to(card, "json")
    await switch_to(card, "form")
    await expect(card.get_by_role("radio", name="Approve with changes")).to_be_checked()
    await card.get_by_role("radio", name="Reject").check()
    await card.get_by_label("Why").fill("Too late")
    await person.press(card, "accept")
    assert await _content(person, request) == {"type": "reject", "message": "Too late"}
