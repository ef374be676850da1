"""Forms that ask for a secret warn, and what looks like one is stopped once before it is sent."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, json_box, switch, switch_to
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

CARD_NUMBER = "4111 1111 1111 1111"
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "note": {"type": "string", "title": "Note"},
        "amount": {"type": "integer", "title": "Amount"},
        "sample": {"type": "string", "title": "Sample", "default": "AKIAIOSFODNN7EXAMPLE"},
    },
}
STOPPED = "Not sent: this looks like a secret"


async def _open(person: Person, asker: str, schema: Json = SCHEMA) -> tuple[Json, Locator]:
    request = await person.ask(asker, "A note?", schema=schema)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return request, person.card(request)


async def _state(person: Person, request: Json) -> str:
    return str((await person.api.json("GET", f"/requests/{request['id']}"))["state"])


async def _is_primary(card: Locator, action: str) -> bool:
    classes = await card.locator(f"button[value={action}]").get_attribute("class")
    return "button--primary" in str(classes)


async def test_a_form_that_asks_for_a_secret_suggests_to_decline(person: Person, asker: str) -> None:
    schema = {"type": "object", "properties": {"password": {"type": "string", "title": "Password"}}}
    request, card = await _open(person, asker, schema)
    await expect(card.locator(".verdict")).to_contain_text("Password")
    await expect(card).to_contain_text("Recommended")
    assert [await _is_primary(card, action) for action in ("accept", "decline", "cancel")] == [False, True, False]
    # What is typed all the same is hidden, until the person shows it.
    password = card.get_by_label("Password")
    await expect(password).to_be_hidden()
    await card.locator(".folded-form > summary").click()
    await expect(password).to_have_css("-webkit-text-security", "disc")
    await card.get_by_role("button", name="Show").click()
    await expect(password).to_have_css("-webkit-text-security", "none")
    assert await complaints(person.page) == []
    # Any text counts here, also one that looks like no secret.
    await password.fill("butterfly")
    await person.press(card, "accept")
    await expect(card.locator("[name=confirmed]")).to_be_visible()
    assert await _state(person, request) == "pending"
    await card.locator("[name=confirmed]").check()
    await person.press(card, "accept")
    await person.settled(request)


async def test_a_possible_secret_is_stopped_once_and_then_sent(person: Person, asker: str) -> None:
    """A mistake elsewhere does not ask twice, nor does the way to JSON and back."""
    request, card = await _open(person, asker)
    assert "Recommended" not in await card.inner_text()
    assert await _is_primary(card, "accept")
    await card.get_by_label("Note").fill(f"pay with {CARD_NUMBER}")
    await card.get_by_label("Amount").fill("7")
    async with person.page.expect_response(f"**/requests/{request['id']}") as answered:
        await person.press(card, "accept")
    assert (await answered.value).status == 422
    stop = card.get_by_role("alert")
    await expect(stop).to_contain_text(STOPPED)
    await expect(stop).to_contain_text("Note: This looks like a payment card number.")
    await expect(stop).to_be_focused()
    assert await complaints(person.page) == []
    assert await _is_primary(card, "decline")
    assert await card.get_by_label("Amount").input_value() == "7"
    assert await _state(person, request) == "pending"
    await person.press(card, "accept")
    await expect(stop).to_be_focused()
    assert await _state(person, request) == "pending"
    await stop.get_by_role("link", name="Note").click()
    await expect(card.get_by_label("Note")).to_be_focused()
    await card.locator("[name=confirmed]").check()
    await card.get_by_label("Amount").fill("a lot")
    await person.press(card, "accept")
    await expect(card.locator(".field__error")).to_be_visible()
    await expect(card.locator("[name=confirmed]")).to_be_checked()
    await card.get_by_label("Amount").fill("7")
    for to in ("json", "form"):
        await switch_to(card, to)
        await expect(switch(card, to)).to_be_hidden()
        await expect(card.locator("[name=confirmed]")).to_be_checked()
    assert await complaints(person.page) == []
    await person.press(card, "accept")
    await person.settled(request)
    assert await _state(person, request) == "accepted"


async def test_a_secret_in_json_is_stopped_also_as_a_number(person: Person, asker: str) -> None:
    request, card = await _open(person, asker)
    await switch_to(card, "json")
    typed = '{"amount": ' + re.sub(r"\s", "", CARD_NUMBER) + ', "token": "AKIAIOSFODNN7EXAMPLE"}'
    await json_box(card).fill(typed)
    await person.press(card, "accept")
    stop = card.get_by_role("alert")
    await expect(stop.get_by_role("listitem")).to_have_count(2)
    assert await json_box(card).input_value() == typed
    await card.locator("[name=confirmed]").check()
    await person.press(card, "accept")
    await person.settled(request)


async def test_only_a_persons_own_secret_is_stopped_until_taken_out(person: Person, asker: str) -> None:
    """Neither the one that the server suggests, nor a no, nor the answer of a program."""
    request, card = await _open(person, asker)
    await card.get_by_label("Note").fill("ghp_" + "a1" * 18)
    await person.press(card, "accept")
    await expect(card.get_by_role("alert")).to_contain_text("an access key or token of a known service")
    await card.get_by_label("Note").fill("nothing")
    await person.press(card, "accept")
    await person.settled(request)
    request, card = await _open(person, asker)
    await card.get_by_label("Note").fill(CARD_NUMBER)
    await person.press(card, "decline")
    await person.settled(request, "declined")
    request = await person.ask(asker, "A note?", schema=SCHEMA, opened=False)
    assert (await person.api.answer(request, action="accept", content={"note": CARD_NUMBER}))["state"] == "accepted"


async def test_without_javascript_it_is_stopped_and_sent_likewise(plain: Person, asker: str) -> None:
    request, card = await _open(plain, asker)
    await card.get_by_label("Note").fill(CARD_NUMBER)
    await plain.press(card, "accept")
    await expect(card).to_contain_text(STOPPED)
    assert await card.get_by_label("Note").input_value() == CARD_NUMBER
    await card.locator("[name=confirmed]").check()
    await plain.press(card, "accept")
    await plain.settled(request)
