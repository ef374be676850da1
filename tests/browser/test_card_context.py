"""The context of a card in a browser: beside it if there is room, else folded; an earlier answer fills in the form."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "seat": {"type": "integer", "title": "Seat"}},
    "required": ["name"],
}
WIDE: ViewportSize = {"width": 1920, "height": 900}
NARROW: ViewportSize = {"width": 1280, "height": 900}

OBSERVE = """() => {
  window.shift = 0
  const add = (list) => list.getEntries().forEach(({ value }) => (window.shift += value))
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true })
}"""
"""Adds up how far things move."""


async def answer(person: Person, asker: str) -> None:
    """Ask, and answer on the page."""
    request = await person.ask(asker, "Who?", schema=SCHEMA)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.card(request).get_by_label("Your name").fill("Ada")
    await person.card(request).get_by_label("Seat").fill("7")
    await person.read(request)
    await person.press(person.card(request), "accept")
    await person.settled(request)


async def test_a_context_moves_nothing_and_shows_progress(person: Person, asker: str) -> None:
    other = await person.ask(asker, "First?", schema=SCHEMA)
    call = await person.api.call(asker, "progress_while_asking", {"name": "beside"})
    [request] = await person.api.pending_requests(call)
    await person.page.set_viewport_size(WIDE)
    await person.page.goto(f"{person.served.base}/requests/{other['id']}")
    await person.live()
    await person.page.evaluate(OBSERVE)
    await person.open(request)
    assert await person.page.evaluate("window.shift") < 0.01
    context = person.page.get_by_role("complementary", name="Context")
    await expect(context.get_by_role("progressbar")).to_have_count(0)
    await person.api.call(asker, "release", {"name": "beside"})
    await expect(context.get_by_text("The second step (2 of 3)")).to_be_visible()
    bar = context.get_by_role("progressbar")
    assert await bar.evaluate("(bar) => [bar.value, bar.max]") == [2, 3]
    # The same for a page that has lost the thread.
    snapshot = await person.page.request.get(f"{person.served.base}/stream?page=inbox&id={request['id']}&once=true")
    assert f"progress-of-{call['id']}" in await snapshot.text()


async def test_an_earlier_answer_is_filled_in_by_one_click(person: Person, asker: str) -> None:
    """The context stands beside the card; on a narrow window, it is folded."""
    await answer(person, asker)
    request = await person.ask(asker, "Who?", schema=SCHEMA)
    await person.page.set_viewport_size(NARROW)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.live()
    card, context = person.card(request), person.page.get_by_role("complementary", name="Context")
    said = context.get_by_text("You answered this 1 time")
    await expect(said).to_be_hidden()
    await context.get_by_text("Call and earlier answers").click()
    await expect(said).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.set_viewport_size(WIDE)
    await person.page.reload()
    await person.live()
    await expect(said).to_be_visible()
    await expect(context.get_by_text("Your name: Ada; Seat: 7")).to_be_visible()
    box, beside = await card.bounding_box(), await context.bounding_box()
    assert box
    assert beside
    assert beside["x"] >= box["x"] + box["width"]
    assert await complaints(person.page) == []
    await context.get_by_role("link", name="Fill in the same answer").click()
    await expect(card.get_by_label("Your name")).to_have_value("Ada")
    await expect(card.get_by_label("Seat")).to_have_value("7")
    await expect(card.locator(".draft")).to_contain_text("Check it before sending.")
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await person.read(request)
    await person.press(card, "accept")
    await person.settled(request)
    await expect(context).to_be_hidden()
    assert await person.received(request) == {"name": "Ada", "seat": 7}
