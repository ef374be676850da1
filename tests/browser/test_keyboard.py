"""The keyboard alone is enough for every action, and the focus is always visible."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext, ViewportSize, expect

from tests.browser.every_field import ANSWER, TITLE
from tests.browser.keyboard import Keyboard
from tests.browser.person import Person, json_box, preview_line, switch
from webclient.domain.model import Json, Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

WIDE = ViewportSize(width=1280, height=900)
ZOOMED = ViewportSize(width=320, height=256)
"""A window of 1280 by 1024 pixels at 400 % (WCAG 2.2, 1.4.10)."""

MANY = [f"Choice {n}" for n in range(1_000)]
NAME: Json = {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]}
CHOICE: Json = {"type": "object", "properties": {"choice": {"title": "Choice", "enum": MANY}}, "required": ["choice"]}


@pytest.fixture
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """A browser in which a date is typed month, day, year."""
    context = await chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    yield context
    await context.close()


@pytest.fixture
def keyboard(person: Person) -> Keyboard:
    """The keyboard of the person's tab."""
    return Keyboard(person.page)


async def test_the_keyboard_reaches_a_tool_and_its_thirteen_fields(person: Person, keyboard: Keyboard) -> None:
    page, card = person.page, person.page.locator("article")
    await keyboard.go_to(page.locator("#servers").get_by_role("link", name="Demo trips").first)
    await keyboard.press("Enter")
    await keyboard.go_to(person.row(TITLE))
    await keyboard.press("Enter")
    await keyboard.go_to(person.run_button(TITLE))
    await keyboard.press("Enter")
    await keyboard.fill(card.get_by_label("Booking code"), "ABC-123")
    await keyboard.fill(card.get_by_label("Email"), "ada@example.com")
    await keyboard.fill(card.get_by_label("Website"), "https://example.com/ada")
    await keyboard.go_to(card.get_by_label("Departure"))
    await keyboard.write("07012026")
    await keyboard.go_to(card.get_by_label("Date and time"))
    await keyboard.write("07012026")
    await keyboard.press("ArrowRight")
    await keyboard.write("0930AM")
    await keyboard.fill(card.get_by_label("Time zone"), "+02:00")
    await keyboard.fill(card.get_by_label("Budget"), "12.50")
    await keyboard.fill(card.get_by_label("Travellers"), "3")
    await keyboard.choose(card.get_by_role("radiogroup", name="Travel insurance").get_by_label("Yes"))
    await keyboard.choose(card.get_by_role("radio", name="autumn"))
    await keyboard.choose(card.get_by_role("radio", name="Business class"))
    await keyboard.choose(card.get_by_role("radio", name="Aisle"))
    for box in ("lunch", "dinner", "Bicycle"):
        await keyboard.go_to(card.get_by_role("checkbox", name=box))
        await keyboard.press("Space")
    await keyboard.go_to(card.get_by_role("button", name="Send answer"))
    await person.takes_keys(card.get_by_role("button", name="Send answer"))
    await keyboard.press("Enter")
    received = (await person.result_here())["structuredContent"]["content"]
    assert received == ANSWER | {"season": "autumn", "seat": "C", "meals": ["lunch", "dinner"]}


async def test_a_typed_option_is_sent_by_enter_but_not_by_escape(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    await person.live()
    request = await person.ask(asker, "Which?", schema=CHOICE)
    card = person.card(request)
    await keyboard.go_to(card.get_by_text("All 1000 options"))
    await keyboard.press("Enter")
    await expect(card.get_by_text("Choice 999", exact=True)).to_be_attached()
    await keyboard.press("Enter")
    choice = card.get_by_label("Choice", exact=True)
    await keyboard.fill(choice, "Choice 7")
    await keyboard.press("ArrowDown")
    for _time in range(3):
        await keyboard.press("Escape")
    await expect(choice).to_have_value("Choice 7")
    assert await _state(person, request) == "pending"
    await choice.focus()
    await keyboard.press("End")
    await keyboard.write("77")
    await person.read(request)
    await keyboard.press("Enter")
    await expect(person.outcome(request)).to_be_focused()
    assert await person.received(request) == {"choice": "Choice 777"}


async def _state(person: Person, request: Json) -> str:
    return str((await person.api.json("GET", f"/requests/{request['id']}"))["state"])


async def test_a_form_is_previewed_left_made_json_and_sent(person: Person, keyboard: Keyboard, asker: str) -> None:
    """Escape leaves a field and answers nothing; a line becomes a box, and the form becomes JSON."""
    await person.live()
    schema = NAME | {"properties": NAME["properties"] | {"day": {"type": "string", "format": "date", "title": "Day"}}}
    request = await person.ask(asker, "Who?", schema=schema)
    card = person.card(request)
    name, day = card.get_by_label("Name", exact=True), card.get_by_label("Day", exact=True)
    await keyboard.fill(name, "Ada")
    for _time in range(3):
        await keyboard.press("Escape")
    await expect(name).not_to_be_focused()
    # Tab goes on from there.
    await keyboard.press("Tab")
    await keyboard.go_to(day)
    await day.press("Alt+ArrowDown")
    await day.press("Escape")
    await day.press("Escape")
    await expect(name).to_have_value("Ada")
    assert await _state(person, request) == "pending"
    await keyboard.go_to(card.locator(".card__more > summary"))
    await keyboard.press("Enter")
    await keyboard.go_to(preview_line(card))
    await keyboard.press("Enter")
    await expect(card.get_by_text('"name": "Ada"')).to_be_visible()
    await keyboard.go_to(name)
    await keyboard.press("Shift+Tab")
    await expect(card.get_by_role("button", name="Multi-line")).to_be_focused()
    await keyboard.press("Enter", "End", "Enter")
    await keyboard.write("Lovelace")
    await expect(card.get_by_text(r'"name": "Ada\nLovelace"')).to_be_visible()
    await keyboard.go_to(switch(card, "json"))
    await keyboard.press("Enter")
    await expect(json_box(card)).to_be_focused()
    await keyboard.go_to(card.get_by_role("button", name="Send answer"))
    await person.read(request)
    await keyboard.press("Enter")
    await expect(person.outcome(request)).to_be_focused()
    await expect(person.outcome(request)).to_contain_text(r"Ada\nLovelace")


async def test_the_focus_goes_to_an_outcome_and_the_next_question(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    """After a declined question, and after one that is withdrawn while its answer is typed."""
    await person.live()
    first = await person.ask(asker, "First?", schema=NAME)
    call = await person.api.call(asker, "ask_then_cancel", {"name": "keyboard"})
    [second] = await person.api.pending_requests(call)
    await person.open(first)
    await keyboard.go_to(person.card(first).get_by_role("button", name="Decline"))
    await person.read(first)
    await keyboard.press("Space")
    await person.settled(first, "declined")
    await expect(person.outcome(first)).to_be_focused()
    await keyboard.go_to(person.outcome(first).get_by_text("Details", exact=True))
    await keyboard.go_to(person.page.get_by_role("link", name="Next question"))
    await keyboard.press("Enter")
    await keyboard.fill(person.card(second).get_by_label("Name", exact=True), "Ada")
    await person.api.call(asker, "release", {"name": "keyboard"})
    await expect(person.outcome(second)).to_contain_text(
        sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="caller cancelled"))
    )
    await expect(person.outcome(second)).to_be_focused()


async def test_every_control_of_every_page_is_reached_and_shows_it(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    page, base = person.page, person.served.base
    for schema in (NAME, CHOICE):
        request = await person.ask(asker, "Which?", schema=schema)
    link = await person.api.call(asker, "ask_url", {"url": "https://example.com/"})
    await person.api.pending_requests(link)
    done = await person.api.in_state(await person.api.call("Demo trips", "postcard", {"destination": "Lisbon"}), "done")
    server = f"/servers/{await person.api.server('Demo trips')}"
    tool, asking = f"{server}/tools/book_trip", f"/calls/{link['id']}"
    wide = ("/", "/servers", tool, f"{server}/permissions", f"{server}/settings", "/calls", f"/calls/{done['id']}")
    for path in (*wide, asking):
        await page.goto(base + path)
        await person.live()
        await page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
        if path in wide:
            assert await keyboard.walk() == [], path
        await page.set_viewport_size(ZOOMED)
        assert await page.evaluate("document.documentElement.scrollWidth") == ZOOMED["width"], path
        if path in (tool, asking):
            assert await keyboard.walk() == [], path
        await page.set_viewport_size(WIDE)
    # The second stop leads to the open question.
    await page.goto(f"{base}/requests/{request['id']}")
    await keyboard.press("Tab", "Tab")
    await expect(page.get_by_role("link", name="Skip to the open question")).to_be_focused()
    await keyboard.press("Enter", "Tab")
    assert await person.card(request).evaluate("card => card.contains(document.activeElement)")
