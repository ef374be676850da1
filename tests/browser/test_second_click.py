"""A second click never answers another question: cards that appear or move are inert, settled ones keep their place."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

NO_FIELDS: Json = {"type": "object", "properties": {}}
MOMENTS = (50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 1000)
"""Milliseconds after the first click."""


def accept(person: Person, request: Json) -> Locator:
    """Return the button that accepts, once it takes clicks."""
    return person.card(request).locator("button[value=accept]")


async def point_at(button: Locator) -> tuple[float, float]:
    """Move the pointer onto a button that takes clicks, and return its place."""
    await expect(button).not_to_have_css("pointer-events", "none")
    # Also if the card is drawn again meanwhile.
    await button.hover()
    box = await button.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def click_here(person: Person, button: Locator) -> None:
    """Press where the pointer is, once the button there takes clicks."""
    await person.takes_keys(button)
    await person.page.mouse.down()
    await person.page.mouse.up()


async def click_again_and_again(page: Page) -> None:
    """Press where the pointer is, at all of the moments."""
    passed = 0
    for moment in MOMENTS:
        await page.wait_for_timeout(moment - passed)
        await page.mouse.down()
        await page.mouse.up()
        passed = moment


async def states(person: Person, requests: Sequence[Json]) -> list[str]:
    return [(await person.api.json("GET", f"/requests/{each['id']}"))["state"] for each in requests]


async def test_further_clicks_answer_nothing_in_a_stack_of_any_height(person: Person, asker: str) -> None:
    await person.live()
    for lines in (1, 3, 5, 7):
        first, others = await ask_among_others(person, asker, lines)
        await point_at(accept(person, first))
        await click_here(person, accept(person, first))
        await expect(person.outcome(first)).to_be_visible()
        await click_again_and_again(person.page)
        assert await states(person, [first, *others]) == ["accepted", *["pending"] * 3], lines
    first, others = await ask_among_others(person, asker, 5)
    await point_at(accept(person, first))
    # The server takes it back.
    await person.api.json("POST", f"/calls/{first['call_id']}/cancel")
    await expect(person.outcome(first)).to_be_visible()
    await click_again_and_again(person.page)
    assert await states(person, others) == ["pending"] * 3


async def ask_among_others(person: Person, asker: str, lines: int) -> tuple[Json, list[Json]]:
    """Have the server ask with so many lines, and three questions more; the inbox has no others."""
    await person.page.mouse.move(0, 0)
    for request in (await person.api.json("GET", "/requests", params={"state": "pending"}))["requests"]:
        await person.api.answer(request, action="cancel")
        await expect(person.page.locator(f"#entries #row-{request['id']}")).to_have_count(0)
    first = await person.ask(asker, "Yes?\n" * lines, schema=NO_FIELDS)
    others = [await person.ask(asker, f"Deploy {n} now?", schema=NO_FIELDS, opened=False) for n in range(3)]
    await person.open(first)
    return first, others


MOVE = """(card) => {
  const before = card.getBoundingClientRect().top
  const line = document.createElement("hr")
  card.before(line)
  line.style.marginBlockEnd = `${before - card.getBoundingClientRect().top + 5}px`
}"""
"""Moves a card down by five pixels."""


async def test_a_card_that_moves_while_it_is_pressed_is_answered(person: Person, asker: str) -> None:
    """The other buttons of the card take no clicks for a moment."""
    await person.live()
    request = await person.ask(asker, "Yes?", schema=NO_FIELDS)
    decline = person.card(request).locator("button[value=decline]")
    await point_at(accept(person, request))
    await person.takes_keys(accept(person, request))
    await person.page.mouse.down()
    await person.card(request).evaluate(MOVE)
    await expect(decline).to_have_css("pointer-events", "none")
    await person.page.mouse.up()
    await person.settled(request)


async def stack(person: Person, asker: str) -> list[Json]:
    """Return the two requests of a call whose page is open."""
    call = await person.api.in_state(await person.api.call(asker, "ask_many", {"n": 2}), "input_required")
    waiting: list[Json] = []
    while len(waiting) < 2:
        waiting = await person.api.pending_requests(call)
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    for request in waiting:
        await person.card(request).get_by_label("Name").fill("Ada")
    return waiting


async def test_a_settled_card_moves_no_other_until_it_is_left(person: Person, asker: str) -> None:
    above, below = await stack(person, asker)
    await point_at(accept(person, below))
    before = await accept(person, below).bounding_box()
    await person.api.answer(above, action="decline")
    await expect(person.outcome(above)).to_be_visible()
    await click_here(person, accept(person, below))
    await expect(person.outcome(below)).to_contain_text("Answered")
    after = await person.outcome(below).bounding_box()
    assert before
    assert after
    assert after["y"] < before["y"] < after["y"] + after["height"]

    first, second = await stack(person, asker)
    await point_at(accept(person, first))
    card = await person.card(first).bounding_box()
    assert card
    place = await person.card(second).bounding_box()
    await click_here(person, accept(person, first))
    await expect(person.outcome(first)).to_be_focused()
    assert await person.card(second).bounding_box() == place
    await person.page.get_by_role("heading", level=1).click()
    await expect(person.outcome(first)).to_have_css("min-block-size", "auto")
    box = await person.outcome(first).bounding_box()
    assert box
    assert box["height"] < card["height"]
    await accept(person, second).click()
    await expect(person.outcome(second)).to_be_visible()


async def test_a_link_that_is_pressed_stays_under_the_pointer(person: Person, asker: str) -> None:
    """Without the place of the card, the page may be too short to stay scrolled: the click would miss the link."""
    await person.page.set_viewport_size({"width": 320, "height": 650})
    await person.live()
    request = await person.ask(asker, "Narrow?")
    await person.card(request).get_by_label("Name").fill("Ada")
    await person.press(person.card(request), "accept")
    await person.settled(request)
    await person.outcome(request).hover()
    await person.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    back = person.page.get_by_role("link", name="Back to inbox")
    before = await back.bounding_box()
    await point_at(back)
    # The focus leaves the card with the button down; a person takes a tenth of a second, some frames, to let it go.
    await person.page.mouse.down()
    await back.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert await person.page.evaluate("scrollY") > 0
    assert await back.bounding_box() == before
    await person.page.mouse.up()
    await expect(person.page.get_by_role("heading", level=1)).to_have_text("Inbox")


async def test_a_click_after_a_page_of_another_port_answers_nothing(writer: Person, asker: str) -> None:
    request = await writer.ask(asker, "Deploy now?", schema=NO_FIELDS)
    page = writer.page
    await page.goto(writer.served.base)
    x, y = await point_at(accept(writer, request))

    async def elsewhere(route: Route) -> None:
        link = f'<a href="{writer.served.base}/" style="position:fixed;inset:0">Play</a>'
        await route.fulfill(content_type="text/html", body=f"<!doctype html>{link}")

    await page.route("http://127.0.0.1:9/**", elsewhere)
    await page.goto("http://127.0.0.1:9/game")
    await page.mouse.click(x, y)
    # Measured from before the card is there, so that the time that this test takes does not matter.
    came = monotonic()
    await page.wait_for_url(f"{writer.served.base}/", wait_until="commit")
    await expect(accept(writer, request)).to_be_visible()
    while monotonic() - came < 0.5:
        await page.mouse.down()
        await page.mouse.up()
    assert await states(writer, [request]) == ["pending"]
    await accept(writer, request).click()
    await expect(writer.outcome(request)).to_be_visible()


HEIGHTS = (5, 0, 1, 7, 0)
"""Further lines of the message in each round, so that a card lies where another's button was."""

PAUSES = (0.05, 0.3, 0.6, 0.9)
"""Seconds that the server takes before each further round."""


async def test_clicks_meant_for_one_round_do_not_answer_the_next(person: Person, round_asker: str) -> None:
    """On the page of a call the server decides when the next card comes, and how tall it is."""
    messages = [f"Round {n}: deploy?" + "\nYes?" * lines for n, lines in enumerate(HEIGHTS)]
    asking = {"n": len(HEIGHTS), "schema": NO_FIELDS, "messages": messages, "pauses": PAUSES}
    call = await person.api.call(round_asker, "ask_rounds", asking)
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    for message in messages[:-1]:
        [pending] = await person.api.pending_requests(call)
        assert pending["params"]["message"] == message
        await point_at(accept(person, pending))
        await click_here(person, accept(person, pending))
        await click_again_and_again(person.page)
        await person.settled(pending)
    await person.api.post(f"/calls/{call['id']}/cancel")
