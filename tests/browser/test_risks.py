"""Approvals of risky calls stand above others in the list, and never move what a person is on."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


async def propose(person: Person, name: str, annotations: Json | None = None, **arguments: Any) -> Json:
    """Ask whether a tool may run, as a program does."""
    body = {"kind": "approval", "tool": {"name": name, "annotations": annotations or {}}, "arguments": arguments}
    request: Json = await person.api.json("POST", "/requests", 201, json=body)
    return request


async def order(person: Person) -> list[str]:
    """Return the ids of the questions in the order of the list."""
    ids: list[str] = await person.page.evaluate(
        "() => [...document.querySelectorAll('#entries .request-row')].map(({ id }) => id.replace('row-', ''))"
    )
    return ids


async def test_a_risky_call_comes_in_above_and_says_why(person: Person) -> None:
    await person.live()
    plain = await propose(person, "note", text="x")
    await expect(person.card(plain)).to_be_visible()
    money = await propose(person, "pay", amount=3)
    outside = await propose(person, "look_up", {"openWorldHint": True}, word="x")
    await expect(person.request_row(outside).locator("[data-risk=outside]")).to_be_visible()
    await expect(person.request_row(money).locator("[data-risk=money]")).to_be_visible()
    wanted = [money["id"], outside["id"], plain["id"]]
    assert await order(person) == wanted
    # The ring has stayed on the question that is open.
    await expect(person.card(plain)).to_be_visible()
    await expect(person.request_row(plain).locator("[aria-current]")).to_have_count(1)
    await person.page.goto(person.served.base)
    assert await order(person) == wanted


async def test_a_risky_call_moves_no_row_that_is_in_use(person: Person) -> None:
    await person.live()
    first, second = await propose(person, "note", text="x"), await propose(person, "note_down", text="x")
    await person.request_row(second).hover()
    wipe = await propose(person, "wipe", {"destructiveHint": True})
    await expect(person.request_row(wipe)).to_be_visible()
    assert await order(person) == [first["id"], second["id"], wipe["id"]]
    await person.page.mouse.move(0, 0)
    await expect(person.page.locator("#entries .request-row").first).to_have_id(f"row-{wipe['id']}")
    # With the keyboard as well.
    keyboard = Keyboard(person.page)
    await keyboard.press("j")
    await expect(person.request_row(second).locator("a")).to_be_focused()
    pay = await propose(person, "pay", amount=2)
    await expect(person.request_row(pay)).to_be_visible()
    assert (await order(person))[-1] == pay["id"]
    await expect(person.request_row(second).locator("a")).to_be_focused()
