"""The inbox in a browser: cards come, stay untouched while others come and go, and are settled once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.person import Person
from tests.mcp_servers import STATE_KEY, stdio
from tests.program import program
from webclient.model import Reason, ReasonCode
from webclient.reasons import sentence

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "note": {"type": "string", "title": "Note"}},
    "required": ["name"],
}
SOON = 1.0
"""Seconds in which an answer in one tab must show in another (the issue's own figure)."""


async def test_a_card_says_who_asks_during_what_and_in_whose_words(person: Person, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Who are you?", schema=SCHEMA)
    card = person.card(request)
    await expect(card.get_by_role("heading")).to_contain_text(asker)
    await expect(card).to_contain_text("http://127.0.0.1:")
    await expect(card).to_contain_text("Calls itself")
    await expect(card).to_contain_text("ask_form")
    await expect(card).to_contain_text('"message": "Who are you?"')
    await expect(card.get_by_role("blockquote")).to_have_text("Who are you?")
    buttons = card.locator("button[name=action]")
    assert [await button.get_attribute("value") for button in await buttons.all()] == ["accept", "decline", "cancel"]
    for button in await buttons.all():
        described = await button.get_attribute("aria-describedby")
        await expect(card.locator(f"#{described}")).to_be_visible()


async def test_cards_come_oldest_first_and_are_counted_in_the_title(person: Person, asker: str) -> None:
    await person.live()
    requests = [await person.asked(asker, f"Question {n}", schema=SCHEMA) for n in range(3)]
    await expect(person.page).to_have_title("(3) Inbox · mcp-webclient")
    cards = person.page.locator("#cards > article")
    await expect(cards).to_have_count(3)
    shown = await cards.evaluate_all("cards => cards.map(card => card.id)")
    assert shown == [f"request-{request['id']}" for request in requests]


async def test_a_push_leaves_focus_caret_and_text_of_other_cards(person: Person, asker: str) -> None:
    await person.live()
    first = await person.asked(asker, "First", schema=SCHEMA)
    name = person.card(first).get_by_label("Your name")
    await name.fill("Ada Lovelace")
    await person.card(first).get_by_label("Note").fill("typed")
    await name.focus()
    await name.evaluate("field => field.setSelectionRange(3, 3)")
    second = await person.asked(asker, "Second", schema=SCHEMA)
    await expect(person.card(second)).to_be_visible()
    await person.api.answer(second, action="decline")
    await expect(person.card(second)).to_have_count(0)
    await expect(name).to_be_focused()
    assert await name.evaluate("field => [field.value, field.selectionStart]") == ["Ada Lovelace", 3]
    assert await person.card(first).get_by_label("Note").input_value() == "typed"


async def test_an_answer_in_one_tab_reaches_the_other_within_a_second(person: Person, asker: str) -> None:
    await person.live()
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.goto(person.served.base)
    await other.live()
    request = await person.asked(asker, "Once", schema=SCHEMA)
    await expect(other.card(request)).to_be_visible()
    await person.card(request).get_by_label("Your name").fill("Ada")
    await person.press(person.card(request), "accept")
    await expect(person.outcome(request)).to_contain_text("You answered")
    answered = time.monotonic()
    await expect(other.card(request)).to_have_count(0)
    assert time.monotonic() - answered < SOON
    await expect(other.outcome(request)).to_contain_text("You answered")


async def test_the_second_answer_sees_the_outcome_of_the_first(person: Person, asker: str) -> None:
    """The second tab has lost its stream, so its card is still there when the other one has answered."""
    other = Person(await person.page.context.new_page(), person.served, person.api)
    request = await person.asked(asker, "Once", schema=SCHEMA)
    await other.page.route("**/stream*", lambda route: route.abort())
    await other.page.goto(person.served.base)
    await expect(other.card(request)).to_be_visible()
    await person.api.answer(request, action="decline")
    await other.card(request).get_by_label("Your name").fill("Too late")
    await other.press(other.card(request), "accept")
    await expect(other.page.get_by_text("This was settled before: it was declined.")).to_be_visible()


async def test_a_withdrawn_request_says_so(person: Person, asker: str) -> None:
    await person.live()
    call = await person.api.call(asker, "ask_then_cancel", {"name": "x"})
    [request] = await person.api.asked(call)
    await expect(person.card(request)).to_be_visible()
    await person.api.call(asker, "release", {"name": "x"})
    await expect(person.outcome(request)).to_contain_text(
        sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="caller cancelled"))
    )
    await expect(person.card(request)).to_have_count(0)


async def test_a_request_that_outlives_its_call_can_be_answered(person: Person, asker: str) -> None:
    await person.live()
    call = await person.api.call(asker, "ask_and_return", {"name": "x"})
    [request] = await person.api.asked(call)
    card = person.card(request)
    name = card.get_by_role("textbox").first
    await name.fill("Ada")
    said = card.locator(f"#reason-{request['id']}")
    await expect(said).to_be_hidden()
    await person.api.call(asker, "release", {"name": "x"})
    await expect(said).to_be_visible()
    assert await name.input_value() == "Ada"
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["reason"] == await said.inner_text()
    await person.page.reload()
    await expect(said).to_be_visible()
    await name.fill("Ada")
    await person.press(card, "accept")
    await expect(person.outcome(request)).to_contain_text("You answered")
    heard = await person.api.call(asker, "was_answered", {"name": "x"})
    done = await person.api.in_state(heard, "done")
    assert done["result"]["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_the_questions_of_a_round_are_answered_in_any_order(person: Person, round_asker: str) -> None:
    await person.live()
    call = await person.api.call(round_asker, "ask_many", {"n": 2})
    first, second = await person.api.asked(call)
    await expect(person.card(second)).to_contain_text("Question 2 of 2")
    for request in (second, first):
        await person.card(request).get_by_role("textbox").first.fill("Ada")
        await person.press(person.card(request), "accept")
        await expect(person.outcome(request)).to_be_visible()
    assert (await person.api.in_state(call, "done"))["result"]


async def test_the_text_of_a_server_is_text(person: Person, asker: str) -> None:
    await person.live()
    message = "<script>alert(1)</script> <a href='https://evil.example'>click</a> safe\u202egnp.exe"
    schema = {"type": "object", "properties": {"<b>": {"type": "string", "title": "<img src=x onerror=alert(1)>"}}}
    request = await person.asked(asker, message, schema=schema)
    card = person.card(request)
    await expect(card.get_by_role("blockquote")).to_contain_text("<script>alert(1)</script>")
    await expect(card.get_by_role("blockquote")).to_contain_text("202E")
    assert await card.locator("blockquote a, script, img, b").count() == 0


async def test_a_link_is_shown_as_text_and_can_be_declined(person: Person, asker: str) -> None:
    await person.live()
    url = "https://accounts.google.com@evil.example/sign-in"
    call = await person.api.call(asker, "ask_url", {"url": url})
    [request] = await person.api.asked(call)
    card = person.card(request)
    await expect(card).to_contain_text(url)
    assert await card.locator(f"a[href*='{'evil'}']").count() == 0
    await person.press(card, "decline")
    await expect(person.outcome(request)).to_contain_text("declined")
    await person.api.in_state(call, "done")


async def test_a_double_click_answers_once(person: Person, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Once", schema=SCHEMA)
    await person.card(request).get_by_label("Your name").fill("Ada")
    await person.card(request).locator("button[value=accept]").dblclick()
    await expect(person.outcome(request)).to_contain_text("You answered")


async def test_without_javascript_everything_can_be_answered(chromium: Browser, person: Person, asker: str) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    plain = Person(await context.new_page(), person.served, person.api)
    await plain.sign_in()
    await plain.run("Book a trip", Date="2026-12-24")
    await plain.page.wait_for_url("**/calls/*")
    card = plain.page.locator("article")
    await plain.refresh_until(card)
    await plain.press(card, "accept")
    await expect(card.get_by_role("alert")).to_contain_text("Some fields need attention")
    await card.get_by_role("radio", name="Yes").check()
    await plain.press(card, "accept")
    await expect(card).to_have_count(0)
    await plain.page.get_by_role("link", name="book_trip").first.click()
    await plain.refresh_until(plain.page.get_by_text("[SUCCESS]").first)
    request = await plain.asked(asker, "Plain?", schema=SCHEMA)
    await plain.page.goto(person.served.base)
    await plain.press(plain.card(request), "decline")
    await expect(plain.outcome(request)).to_contain_text("declined")
    await context.close()


async def test_the_page_lives_through_a_restart_with_what_was_typed(chromium: Browser, tmp_path: Path) -> None:
    """A 2026-07-28 call waits on, its card stays as it is, and its draft is there when the page is opened again."""
    asker = stdio("asker", "--state-key", STATE_KEY)
    servers = {"it": {key: value for key, value in asker.items() if key != "type" and value}}
    options = ["--token", "a token that stays the same"]
    async with program(tmp_path, servers=servers, options=options) as first, first.client() as api:
        context = await chromium.new_context()
        person = Person(await context.new_page(), first, api)
        await person.sign_in()
        await person.live()
        call = await api.call("it", "ask_rounds", {"n": 1})
        [request] = await api.asked(call)
        field = person.card(request).get_by_role("textbox").first
        await field.fill("typed before")
        await expect(person.card(request).get_by_text("Draft saved.")).to_be_visible()
        os.kill(first.pid, signal.SIGKILL)
        await expect(person.page.get_by_text("Reconnecting…")).to_be_visible()
        port = first.base.rpartition(":")[2]
        async with (
            program(tmp_path, servers=servers, options=[*options, "--port", port]) as second,
            second.client() as api_again,
        ):
            again = Person(person.page, second, api_again)
            await expect(person.page.get_by_text("Live", exact=True)).to_be_visible(timeout=15_000)
            fresh = await again.asked("it", "After", schema=SCHEMA)
            await expect(again.card(fresh)).to_be_visible()
            assert await field.input_value() == "typed before"
            await person.page.reload()
            assert await field.input_value() == "typed before"
            await again.press(again.card(request), "accept")
            done = await api_again.in_state(call, "done", "failed", "interrupted")
            assert "typed before" in str(done["result"])
        await context.close()
