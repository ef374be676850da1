"""The inbox in a browser: cards come, stay untouched while others come and go, and are settled once."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress

import pytest
from playwright.async_api import Error, Route, expect

from tests.browser.person import Person
from webclient.domain.model import Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "note": {"type": "string", "title": "Note"}},
    "required": ["name"],
}
SOON = 1.0
"""Seconds in which an answer in one tab must show in another (the issue's own figure)."""

ATTEMPTS = 5


@pytest.mark.smoke
async def test_a_card_says_who_asks_during_what_and_in_whose_words(person: Person, asker: str) -> None:
    await person.live()
    request = await person.ask(asker, "Who are you?", schema=SCHEMA)
    card = person.card(request)
    await expect(card.get_by_role("heading")).to_have_text("“Who are you?”")
    await expect(person.page.get_by_role("article", name=f"“Who are you?” {asker}")).to_be_visible()
    await expect(card).to_contain_text(asker)
    await expect(card).to_contain_text("http://127.0.0.1:")
    await expect(card).to_contain_text("Says it is")
    await expect(card).to_contain_text("ask_form")
    await expect(card.get_by_role("link", name="ask_form")).to_be_visible()
    await card.get_by_text("2 arguments").click()
    await expect(card.locator(".card__arguments dd").filter(has_text="Who are you?")).to_be_visible()
    buttons = card.locator("button[name=action]")
    assert [await button.get_attribute("value") for button in await buttons.all()] == ["accept", "decline", "cancel"]
    for button in await buttons.all():
        described = await button.get_attribute("aria-describedby")
        await expect(card.locator(f"#{described}")).not_to_be_empty()


@pytest.mark.smoke
async def test_a_push_leaves_focus_caret_and_text_of_the_card(person: Person, asker: str) -> None:
    await person.live()
    first = await person.ask(asker, "First", schema=SCHEMA)
    name = person.card(first).get_by_label("Your name")
    await name.fill("Ada Lovelace")
    await person.card(first).get_by_label("Note").fill("typed")
    await name.focus()
    await name.evaluate("field => field.setSelectionRange(3, 3)")
    second = await person.ask(asker, "Second", opened=False, schema=SCHEMA)
    await expect(person.request_row(second)).to_be_visible()
    await person.api.answer(second, action="decline")
    await expect(person.page.locator(f"#entries #row-{second['id']}")).to_have_count(0)
    await expect(name).to_be_focused()
    assert await name.evaluate("field => [field.value, field.selectionStart]") == ["Ada Lovelace", 3]
    assert await person.card(first).get_by_label("Note").input_value() == "typed"


async def test_a_new_request_does_not_replace_the_chosen_one(person: Person, asker: str) -> None:
    """What an empty pane asks for by itself would abort what a click has asked for, and be shown in its place."""
    await person.live()
    late: list[Route] = []

    async def hold(route: Route) -> None:
        late.append(route)

    await person.page.route(re.compile(r"/$|/requests/[^/]+$"), hold)
    first = await person.ask(asker, "First", opened=False)
    await person.request_row(first).locator("a").click()
    second = await person.ask(asker, "Second", opened=False)
    await person.request_row(second).locator("a").click()
    third = await person.ask(asker, "Third", opened=False)
    await expect(person.request_row(third)).to_be_visible()
    await person.page.unroute_all()
    for route in late:
        # All but the last were replaced.
        with suppress(Error):
            await route.continue_()
    await person.page.wait_for_url(f"**/requests/{second['id']}*")
    await expect(person.card(second)).to_be_visible()


async def test_a_row_that_changes_while_it_is_pressed_opens(person: Person, asker: str) -> None:
    """The browser sends no click if the pressed element was replaced."""
    await person.live()
    page = person.page
    await person.ask(asker, "First", schema=SCHEMA)
    second = await person.ask(asker, "Second", opened=False, schema=SCHEMA)
    other = Person(await page.context.new_page(), person.served, person.api)
    await other.page.goto(f"{person.served.base}/requests/{second['id']}")
    await person.request_row(second).locator(".request-row__asker").hover()
    await page.mouse.down()
    await other.card(second).get_by_label("Note").fill("a draft")
    third = await person.ask(asker, "Third", opened=False)
    # Both have come: what this draft changes, and the third question after it.
    await expect(other.request_row(second)).to_contain_text("Draft")
    await expect(person.request_row(third)).to_be_visible()
    await page.mouse.up()
    await page.wait_for_url(f"**/requests/{second['id']}*")
    await page.mouse.move(0, 0)
    await expect(person.request_row(second)).to_contain_text("Draft")


async def test_typed_text_is_there_when_a_request_is_shown_again(person: Person, asker: str) -> None:
    """Also a value that no draft may keep; and typing goes on when what is shown is asked for again."""
    await person.live()
    schema = {"type": "object", "properties": {"note": {"type": "string", "title": "Note"}}}
    first = await person.ask(asker, "First", schema=schema)
    secret = "ghp_" + "a1B2" * 9
    await person.card(first).get_by_label("Note").fill(secret)
    second = await person.ask(asker, "Second", schema=schema)
    await expect(person.card(first)).to_have_count(0)
    note = person.card(second).get_by_label("Note")
    await note.fill("typed")
    await person.open(first)
    await expect(person.card(first).get_by_label("Note")).to_have_value(secret)
    await person.open(second)
    await expect(note).to_have_value("typed")
    typed = asyncio.Event()

    async def come_late(route: Route) -> None:
        await typed.wait()
        await route.continue_()

    await person.page.route(f"**/requests/{second['id']}", come_late, times=1)
    async with person.page.expect_response(f"**/requests/{second['id']}"):
        await person.request_row(second).locator("a").click()
        await note.press("End")
        await note.press_sequentially(" Ada")
        typed.set()
    await expect(person.page.locator("#detail")).not_to_have_class(re.compile("htmx"))
    await person.page.keyboard.type(" Byron")
    await expect(note).to_have_value("typed Ada Byron")
    await person.api.answer(second, action="decline")
    await person.settled(second, "declined")
    await person.page.get_by_role("link", name="Next question").click()
    await expect(person.card(first).get_by_label("Note")).to_have_value(secret)


async def test_a_list_is_counted_and_stays_in_place_while_in_use(person: Person, asker: str) -> None:
    await person.live()
    first, second, third = requests = [await person.ask(asker, f"Question {n}", opened=False) for n in range(3)]
    await expect(person.page).to_have_title("(3) Inbox · mcp-webclient")
    rows = person.page.locator("#entries .request-row")
    await expect(rows).to_have_count(3)
    # The oldest comes first.
    assert await rows.evaluate_all("rows => rows.map(row => row.id)") == [f"row-{each['id']}" for each in requests]
    # A pane that showed nothing shows the first that came, and goes on to no other.
    await expect(person.card(first)).to_be_visible()
    await expect(person.request_row(first).locator("a")).to_have_attribute("aria-current", "true")
    await person.request_row(second).hover()
    place = await person.request_row(second).bounding_box()
    await person.api.answer(first, action="decline")
    await expect(person.request_row(first).first).to_have_attribute("data-state", "gone")
    assert await person.request_row(second).bounding_box() == place
    last = await person.ask(asker, "Last", opened=False)
    await expect(person.request_row(last)).to_be_visible()
    assert await person.request_row(second).bounding_box() == place
    await person.page.mouse.move(1200, 800)
    await expect(rows).to_have_count(3)
    assert await rows.evaluate_all("rows => rows.map(row => row.id.slice(4))") == [
        each["id"] for each in (second, third, last)
    ]
    await expect(person.page.locator("#settled").locator(f"#row-{first['id']}")).to_have_attribute(
        "data-state", "declined"
    )
    # After the last answer, no empty pane is left.
    for each in (second, third, last):
        await person.api.answer(each, action="decline")
    await person.page.goto(person.served.base)
    await expect(person.page.locator("#caught-up")).to_be_visible()
    await expect(person.page.locator("#settled .request-row")).not_to_have_count(0)
    await expect(person.page.locator(".detail")).to_be_hidden()
    await expect(person.page.locator(".inbox")).to_have_css("border-inline-end-width", "0px")


async def test_the_filters_show_rows_of_a_server_or_with_a_text(person: Person, asker: str, round_asker: str) -> None:
    await person.live()
    one = await person.ask(asker, "Deploy to production?", opened=False)
    other = await person.ask(asker, "Who signs?", opened=False)
    elsewhere = await person.ask(round_asker, "Merge?", opened=False)
    await expect(person.request_row(elsewhere)).to_be_visible()
    await person.page.get_by_label("Filter questions").fill("SIGNS")
    await expect(person.request_row(other)).to_be_visible()
    await expect(person.request_row(one)).to_be_hidden()
    await person.page.get_by_label("Filter questions").fill("nothing like it")
    await expect(person.page.locator("#no-match")).to_be_visible()
    await person.page.locator("#chips").get_by_role("link", name=asker).click()
    await expect(person.page).to_have_url(re.compile(r"/\?server="))
    await expect(person.request_row(one)).to_be_visible()
    await expect(person.request_row(elsewhere)).to_have_count(0)
    await person.open(other)
    await expect(person.page).to_have_url(re.compile(rf"/requests/{other['id']}\?server="))


async def test_a_narrow_page_is_a_list_or_a_request(person: Person, asker: str) -> None:
    await person.page.set_viewport_size({"width": 320, "height": 700})
    await person.live()
    request = await person.ask(asker, "Narrow?", schema=SCHEMA, opened=False)
    await expect(person.request_row(request)).to_be_visible()
    await expect(person.page.locator(".detail")).to_be_hidden()
    assert await person.page.evaluate("document.documentElement.scrollWidth") == 320
    await person.open(request)
    await expect(person.request_row(request)).to_be_hidden()
    await person.card(request).get_by_label("Your name").fill("Ada")
    assert await person.page.evaluate("document.documentElement.scrollWidth") == 320
    await person.press(person.card(request), "accept")
    await person.settled(request)
    await person.page.get_by_role("link", name="Back to inbox").click()
    await expect(person.page.get_by_role("heading", level=1)).to_have_text("Inbox")


@pytest.mark.smoke
async def test_an_answer_in_one_tab_reaches_the_other_within_a_second(person: Person, asker: str) -> None:
    await person.live()
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.goto(person.served.base)
    await other.live()
    took = [await _seconds_to_the_other_tab(person, other, asker)]
    # A busy machine may need longer for any one answer; a page that asked now and then would for nearly all.
    while took[-1] >= SOON and len(took) < ATTEMPTS:
        took.append(await _seconds_to_the_other_tab(person, other, asker))
    assert min(took) < SOON


async def _seconds_to_the_other_tab(person: Person, other: Person, asker: str) -> float:
    request = await person.ask(asker, "Once", schema=SCHEMA)
    await other.show(request)
    await expect(other.card(request)).to_be_visible()
    await person.card(request).get_by_label("Your name").fill("Ada")
    await person.press(person.card(request), "accept")
    await person.settled(request)
    answered = time.monotonic()
    await expect(other.card(request)).to_have_count(0)
    took = time.monotonic() - answered
    await other.settled(request)
    return took


async def test_a_withdrawn_request_says_so(person: Person, asker: str) -> None:
    await person.live()
    call = await person.api.call(asker, "ask_then_cancel", {"name": "x"})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    await expect(person.card(request)).to_be_visible()
    await person.api.call(asker, "release", {"name": "x"})
    await expect(person.outcome(request)).to_contain_text(
        sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="caller cancelled"))
    )
    await expect(person.card(request)).to_have_count(0)


async def test_a_request_that_outlives_its_call_can_be_answered(person: Person, asker: str) -> None:
    await person.live()
    call = await person.api.call(asker, "ask_and_return", {"name": "outlives"})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    card = person.card(request)
    name = card.get_by_role("textbox").first
    await name.fill("Ada")
    said = card.locator(f"#reason-{request['id']}")
    await expect(said).to_be_hidden()
    await person.api.call(asker, "release", {"name": "outlives"})
    await expect(said).to_be_visible()
    assert await name.input_value() == "Ada"
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["reason"] == await said.inner_text()
    await person.page.reload()
    await expect(said).to_be_visible()
    await name.fill("Ada")
    await person.press(card, "accept")
    await person.settled(request)
    heard = await person.api.call(asker, "was_answered", {"name": "outlives"})
    done = await person.api.in_state(heard, "done")
    assert done["result"]["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_text_and_links_of_a_server_are_text(person: Person, asker: str) -> None:
    await person.live()
    message = "<script>alert(1)</script> <a href='https://evil.example'>click</a> safe\u202egnp.exe"
    schema = {"type": "object", "properties": {"<b>": {"type": "string", "title": "<img src=x onerror=alert(1)>"}}}
    request = await person.ask(asker, message, schema=schema)
    card = person.card(request)
    await expect(card.get_by_role("heading")).to_contain_text("<script>alert(1)</script>")
    await expect(card.get_by_role("heading")).to_contain_text("202E")
    assert await card.locator("h2 a, script, img, b").count() == 0
    # Beside it, the row shows its kind.
    await expect(person.request_row(request).get_by_role("img", name="Form")).to_be_visible()
    url = "https://accounts.google.com@evil.example/sign-in"
    call = await person.api.call(asker, "ask_url", {"url": url})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    card = person.card(request)
    await expect(card).to_contain_text(url)
    await expect(person.request_row(request).get_by_role("img", name="Link")).to_be_visible()
    assert await card.locator("a[href*='evil']").count() == 0
    await person.press(card, "decline")
    await person.settled(request, "declined")
    await person.api.in_state(call, "done")


async def test_a_double_click_answers_once_and_a_second_tab_sees_it(person: Person, asker: str) -> None:
    """The first click is still on its way to the program when the second one comes."""
    await person.live()
    request = await person.ask(asker, "Once", schema=SCHEMA)
    # The second tab has lost its stream, so its card is still there when the other one has answered.
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.route("**/stream*", lambda route: route.abort())
    await other.page.goto(person.served.base)
    await expect(other.card(request)).to_be_visible()
    posted: list[str] = []
    clicked = asyncio.Event()

    async def hold(route: Route) -> None:
        posted.append(route.request.post_data or "")
        await clicked.wait()
        await route.continue_()

    await person.page.route(f"**/requests/{request['id']}", hold)
    await person.card(request).get_by_label("Your name").fill("Ada")
    await person.card(request).locator("button[value=accept]").dblclick()
    clicked.set()
    await person.settled(request)
    assert (await person.received(request)) == {"name": "Ada"}
    assert len(posted) == 1
    await other.card(request).get_by_label("Your name").fill("Too late")
    await other.press(other.card(request), "accept")
    await expect(other.outcome(request).get_by_role("alert")).to_be_visible()
    await other.settled(request)


@pytest.mark.smoke
async def test_without_javascript_everything_can_be_answered(plain: Person, asker: str) -> None:
    await plain.run("Book a trip", Date="2026-12-24")
    await plain.page.wait_for_url("**/calls/*")
    card = plain.page.locator("article")
    await plain.refresh_until(card)
    await plain.press(card, "accept")
    await expect(card.get_by_role("radiogroup")).to_have_attribute("aria-invalid", "true")
    await card.get_by_role("radio", name="Yes").check()
    await plain.press(card, "accept")
    await expect(card).to_have_count(0)
    await plain.page.get_by_role("link", name="Calls").click()
    await plain.page.get_by_role("link", name="Book a trip").first.click()
    await plain.refresh_until(plain.page.get_by_text("Booked for").first)
    request = await plain.ask(asker, "Plain?", schema=SCHEMA)
    await plain.page.goto(plain.served.base)
    await plain.press(plain.card(request), "decline")
    await plain.settled(request, "declined")
