"""The look that all pages share: the place of their heading, the size of their words, their print."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WIDE: ViewportSize = {"width": 1920, "height": 1000}

SHIFTS = """
  window.shifted = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value)))
    .observe({ type: "layout-shift", buffered: true })
"""


FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def test_parts_of_pages_keep_their_distances(person: Person, asker: str) -> None:
    """The key of a search stands in its field, and the history begins close below its filters."""
    page = person.page
    await page.set_viewport_size(WIDE)
    await page.goto(f"{person.served.base}/servers/{await person.api.server('Demo trips')}/tools")
    field = await page.get_by_role("searchbox", name="Search tools").bounding_box()
    key = await page.locator(".entry-search__key").bounding_box()
    assert field
    assert key
    assert key["x"] + key["width"] < field["x"] + field["width"]
    await person.api.answer(await person.ask(asker, "Tea or coffee?"), action="decline")
    await page.goto(f"{person.served.base}/history")
    chips = await page.locator(".chips").bounding_box()
    day = await page.locator(".entries__day").first.bounding_box()
    assert chips
    assert day
    assert 24 <= day["y"] - (chips["y"] + chips["height"]) <= 34


async def test_pages_stay_still_while_questions_come(person: Person, asker: str) -> None:
    # So low that the list is longer than its column in the end.
    await person.page.set_viewport_size({"width": 1280, "height": 600})
    left = await person.ask(asker, "Sugar?")
    await person.card(left).locator("input:not([type=hidden])").first.fill("Two")
    await person.draft_saved(left)
    # Below the list are what is done, and an unsent draft.
    await person.api.answer(left, action="decline")
    first = await person.ask(asker, "Tea or coffee?")
    await person.page.add_init_script(SHIFTS)
    waiting = [first]
    for path in ("/calls", "/", "/history", "/servers", "/requests/{id}", "/calls/{call_id}"):
        await person.page.goto(f"{person.served.base}{path.format_map(first)}")
        await _nothing_moves(person, asker, waiting, path)
        for request in waiting[1:]:
            await person.api.answer(request, action="cancel")
        del waiting[1:]


async def _nothing_moves(person: Person, asker: str, waiting: list[Json], path: str) -> None:
    """Let eight more questions come to the open page."""
    await person.live()
    # On a slow machine a banner has said meanwhile that the page does not update by itself.
    await person.page.evaluate(FRAMES)
    await person.page.evaluate("window.shifted = 0")
    if path == "/calls":
        # The newest stand first: new ones wait until the list is left.
        row = person.page.locator(f"#call-{waiting[0]['call_id']}")
        await row.hover()
    waiting += [await person.ask(asker, f"Cup {number}: tea or coffee?", opened=False) for number in range(8)]
    await expect(person.page).to_have_title(re.compile(r"^\(9\)"))
    await person.page.evaluate(FRAMES)
    assert await person.page.evaluate("window.shifted") < 0.01, path
    if path == "/calls":
        assert await row.evaluate("row => row === row.parentElement.firstElementChild")
        await person.page.get_by_role("heading", name="Calls").hover()
        await expect(person.page.locator("#calls > :first-child")).to_have_id(f"call-{waiting[-1]['call_id']}")


async def test_paper_has_the_question_and_nothing_to_press(person: Person, asker: str) -> None:
    request = await person.ask(asker, "Tea or coffee?")
    page = person.page
    await page.goto(f"{person.served.base}/requests/{request['id']}")
    await page.get_by_role("button", name="Account").click()
    await page.get_by_role("button", name="Dark").click()
    await page.wait_for_selector("html[data-theme=dark]")
    await page.emulate_media(media="print")
    try:
        await expect(person.card(request)).to_be_visible()
        await expect(page.get_by_role("button")).to_have_count(0)
        await expect(page.get_by_role("navigation")).to_have_count(0)
        await expect(page.locator("#entries")).to_be_hidden()
        light = "getComputedStyle(document.body).color === 'oklch(0.25 0.018 262)'"
        assert await page.evaluate(light)
    finally:
        await page.emulate_media(media="screen")
