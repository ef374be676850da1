"""Everything can be done with the keyboard alone, and the focus can always be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext, expect

from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from webclient.model import Json, Reason, ReasonCode
from webclient.reasons import sentence

pytestmark = pytest.mark.anyio

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
    await keyboard.go_to(page.get_by_role("link", name="Tools of Demo trips"))
    await keyboard.press("Enter")
    await keyboard.go_to(page.locator("summary").filter(has_text="every_field"))
    await keyboard.press("Enter")
    await keyboard.go_to(person.run_button("Every kind of field"))
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
    await keyboard.press("Enter")
    await expect(page.get_by_text("Result", exact=True)).to_be_visible()
    done = await person.api.json("GET", f"/calls/{page.url.rpartition('/')[2]}")
    assert done["result"]["structuredContent"]["content"] == {
        "code": "ABC-123",
        "email": "ada@example.com",
        "website": "https://example.com/ada",
        "departure": "2026-07-01",
        "meeting": "2026-07-01T09:30:00+02:00",
        "budget": 12.5,
        "travellers": 3,
        "insurance": True,
        "season": "autumn",
        "travel_class": "business",
        "seat": "C",
        "meals": ["lunch", "dinner"],
        "extras": ["bag", "bike"],
    }


async def test_one_of_a_thousand_options_is_typed_and_sent_with_enter(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    await person.live()
    request = await person.asked(asker, "Which?", schema=CHOICE)
    card = person.card(request)
    await keyboard.go_to(card.get_by_text("All 1000 options"))
    await keyboard.press("Enter")
    await expect(card.get_by_text("Choice 999", exact=True)).to_be_attached()
    await keyboard.press("Enter")
    await keyboard.fill(card.get_by_label("Choice", exact=True), "Choice 777")
    await keyboard.press("Enter")
    await expect(person.outcome(request)).to_be_focused()
    settled = await person.api.json("GET", f"/requests/{request['id']}")
    call = await person.api.in_state(await person.api.json("GET", f"/calls/{settled['call_id']}"), "done")
    assert call["result"]["structuredContent"]["content"] == {"choice": "Choice 777"}


async def test_what_will_be_sent_is_opened_and_follows(person: Person, keyboard: Keyboard, asker: str) -> None:
    await person.live()
    card = person.card(await person.asked(asker, "Who?", schema=NAME))
    await keyboard.go_to(card.get_by_text("Preview", exact=True))
    await keyboard.press("Enter")
    await expect(card.get_by_text("Nothing can be sent yet.")).to_be_visible()
    await keyboard.fill(card.get_by_label("Name", exact=True), "Ada")
    await expect(card.get_by_text('"name": "Ada"')).to_be_visible()


async def test_a_line_becomes_a_box_and_the_form_becomes_json(person: Person, keyboard: Keyboard, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Who?", schema=NAME)
    card = person.card(request)
    await keyboard.go_to(card.get_by_label("Name", exact=True))
    await keyboard.press("Shift+Tab")
    await expect(card.get_by_role("button", name="Multi-line")).to_be_focused()
    await keyboard.press("Enter")
    await keyboard.write("Ada")
    await keyboard.press("Enter")
    await keyboard.write("Lovelace")
    await keyboard.go_to(card.get_by_role("button", name="Edit as JSON"))
    await keyboard.press("Enter")
    await expect(card.get_by_label("Answer, as JSON")).to_be_focused()
    await keyboard.go_to(card.get_by_role("button", name="Send answer"))
    await keyboard.press("Enter")
    await expect(person.outcome(request)).to_be_focused()
    await expect(person.outcome(request)).to_contain_text(r"Ada\nLovelace")


async def test_declining_moves_the_focus_to_the_outcome_and_the_next(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    await person.live()
    first, second = [await person.asked(asker, message, schema=NAME) for message in ("First?", "Second?")]
    await keyboard.go_to(person.card(first).get_by_role("button", name="Decline"))
    await keyboard.press("Space")
    await expect(person.outcome(first)).to_contain_text("You declined")
    await expect(person.outcome(first)).to_be_focused()
    await keyboard.go_to(person.outcome(first).get_by_text("What was asked and sent"))
    await keyboard.go_to(person.card(second).get_by_label("Name", exact=True))


async def test_a_withdrawal_during_typing_moves_the_focus(person: Person, keyboard: Keyboard, asker: str) -> None:
    await person.live()
    call = await person.api.call(asker, "ask_then_cancel", {"name": "keyboard"})
    [request] = await person.api.asked(call)
    await keyboard.fill(person.card(request).get_by_label("Name", exact=True), "Ada")
    await person.api.call(asker, "release", {"name": "keyboard"})
    await expect(person.outcome(request)).to_contain_text(
        sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="caller cancelled"))
    )
    await expect(person.outcome(request)).to_be_focused()


async def test_escape_cancels_and_asks_first_when_something_was_typed(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    await person.live()
    typed, untouched = [await person.asked(asker, message, schema=NAME) for message in ("First?", "Second?")]
    card = person.card(typed)
    await keyboard.fill(card.get_by_label("Name", exact=True), "Ada")
    await keyboard.press("Escape")
    await expect(card.get_by_text("Press Escape once more")).to_be_visible()
    await keyboard.press("Escape")
    await expect(person.outcome(typed)).to_contain_text("Cancelled")
    await expect(person.outcome(typed)).to_be_focused()
    await keyboard.go_to(person.card(untouched).get_by_label("Name", exact=True))
    await keyboard.press("Escape")
    await expect(person.outcome(untouched)).to_contain_text("Cancelled")


async def test_every_control_of_every_page_is_reached_and_shows_it(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    page, base = person.page, person.served.base
    for schema in (NAME, CHOICE):
        await person.asked(asker, "Which?", schema=schema)
    link = await person.api.call(asker, "ask_url", {"url": "https://example.com/"})
    await person.api.asked(link)
    done = await person.api.in_state(await person.api.call("Demo trips", "postcard", {"destination": "Lisbon"}), "done")
    server = f"/servers/{await person.api.server('Demo trips')}"
    for path in ("/", "/servers", server, "/calls", f"/calls/{link['id']}", f"/calls/{done['id']}"):
        await page.goto(base + path)
        await person.live()
        await page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
        assert await keyboard.walk() == [], path
