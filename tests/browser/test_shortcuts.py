"""Keyboard shortcuts: they move the focus, and no key answers a question that was not looked at."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from webclient.domain.model import Json
from webclient.web.http.shortcuts import ALWAYS, SINGLE

pytestmark = pytest.mark.anyio

CONFIRMATION: Json = {"type": "object", "properties": {}}
NAME: Json = {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}}


@pytest.fixture
def keyboard(person: Person) -> Keyboard:
    """The keyboard of the person's tab."""
    return Keyboard(person.page)


async def state_of(person: Person, request: Json) -> str:
    return str((await person.api.json("GET", f"/requests/{request['id']}"))["state"])


async def show(person: Person, request: Json) -> None:
    """Open the question's own page, and wait until its buttons can be pressed."""
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.live()
    await person.read(request)


async def test_keys_go_to_an_answer_and_enter_gives_it(person: Person, keyboard: Keyboard, asker: str) -> None:
    approved, declined, named = [
        await person.ask(asker, "Well?", schema=schema) for schema in (CONFIRMATION, CONFIRMATION, NAME)
    ]
    await show(person, approved)
    await keyboard.press("a", "a")
    await expect(person.card(approved).locator("[value=accept]")).to_be_focused()
    assert await state_of(person, approved) == "pending"
    await keyboard.press("Enter")
    await person.settled(approved)
    await expect(person.outcome(approved)).to_be_focused()
    head = person.outcome(approved).locator(".outcome__head")
    assert await head.evaluate("(it) => getComputedStyle(it).outlineStyle") == "solid"
    await show(person, declined)
    await keyboard.press("d", "d")
    assert await state_of(person, declined) == "pending"
    await keyboard.press("Enter")
    await person.settled(declined, "declined")
    await show(person, named)
    await keyboard.press("a")
    await expect(person.card(named).locator("[value=accept]")).not_to_be_focused()
    await person.card(named).locator("h2").focus()
    await keyboard.press("Enter")
    await expect(person.card(named).get_by_label("Name", exact=True)).to_be_focused()
    await keyboard.write("ja?/d")
    await keyboard.press("Control+Enter")
    await person.settled(named)
    assert await person.received(named) == {"name": "ja?/d"}


async def test_a_second_enter_answers_no_other_question(person: Person, keyboard: Keyboard, asker: str) -> None:
    for milliseconds in (0, 150, 350):
        call = await person.api.call(asker, "ask_many", {"n": 2})
        await person.api.pending_requests(call)
        await person.page.goto(f"{person.served.base}/calls/{call['id']}")
        await person.live()
        first, second = await person.api.pending_requests(call)
        await person.read(first)
        await person.card(first).get_by_label("Name", exact=True).fill("Ada")
        await keyboard.press("Enter")
        await expect(person.outcome(first)).to_be_visible()
        await asyncio.sleep(milliseconds / 1000)
        # The focus is on the outcome. A hasty person goes on to the next question, which has moved, with keys.
        await person.card(second).locator("h2").focus()
        await keyboard.press("Enter", "Enter")
        assert await state_of(person, second) == "pending", milliseconds
        await person.api.json("POST", f"/calls/{call['id']}/cancel")


async def test_a_card_that_has_just_come_takes_no_keys(person: Person, keyboard: Keyboard, asker: str) -> None:
    request = await person.ask(asker, "Deploy?", schema=CONFIRMATION)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}", wait_until="commit")
    await person.page.locator("[value=accept]").focus()
    await person.page.evaluate("""() => {
      for (const button of document.querySelectorAll("[value=accept]")) button.style.animationDuration = "60s"
    }""")
    await person.live()
    for key in ("Enter", "Space", "Control+Enter"):
        await keyboard.press(key)
    assert await state_of(person, request) == "pending"
    await person.page.evaluate("""() => {
      for (const button of document.querySelectorAll("[value=accept]")) button.style.animationDuration = "0s"
    }""")
    # A key that stays down began elsewhere.
    await person.page.evaluate("""() => {
      const repeated = new KeyboardEvent("keydown", {key: "Enter", repeat: true, bubbles: true, cancelable: true})
      window.wasStopped = !document.activeElement.dispatchEvent(repeated)
    }""")
    assert await person.page.evaluate("window.wasStopped")
    await person.read(request)
    await keyboard.press("Enter")
    await person.settled(request)


async def test_keys_go_through_lists_and_to_pages(person: Person, keyboard: Keyboard) -> None:
    """They are listed, and single keys can be switched off."""
    page, base = person.page, person.served.base
    server = await person.api.server("Demo trips")
    await page.goto(f"{base}/servers/{server}")
    await person.live()
    await keyboard.press("/")
    await expect(page.get_by_role("searchbox").first).to_be_focused()
    await keyboard.write("jk")
    await expect(page.get_by_role("searchbox").first).to_have_value("jk")
    await keyboard.press("Control+a", "Backspace", "Escape")
    await page.evaluate("document.activeElement.blur()")
    rows = page.locator(".entry-row")
    await keyboard.press("j", "j", "k")
    await expect(rows.first).to_be_focused()
    await keyboard.press("Control+j", "Alt+j", "j")
    await expect(rows.nth(1)).to_be_focused()
    for key, path in (("c", "/calls"), ("h", "/history"), ("s", "/servers"), ("i", "/")):
        await keyboard.press("g", key)
        await page.wait_for_url(f"{base}{path}")
        await person.live()
    await page.evaluate("""() => document.body.dispatchEvent(
      new KeyboardEvent("keydown", {key: "?", isComposing: true, bubbles: true}))""")
    dialog, switch = page.locator("#shortcuts"), page.locator("#single-key-shortcuts")
    await expect(dialog).to_be_hidden()
    await keyboard.press("?")
    await expect(dialog.get_by_role("row")).to_have_count(len(ALWAYS) + len(SINGLE))
    await switch.uncheck()
    await keyboard.press("Escape")
    await keyboard.press("?", "g", "c")
    await expect(dialog).to_be_hidden()
    assert page.url == f"{base}/"
    await page.reload()
    await page.locator("#show-shortcuts").click()
    await expect(switch).not_to_be_checked()
    await switch.check()
    await dialog.get_by_role("button").click()
    await expect(page.locator("#show-shortcuts")).to_be_focused()
    await keyboard.press("?")
    await expect(dialog).to_be_visible()
