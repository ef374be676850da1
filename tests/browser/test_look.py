"""The look that all pages share: the place of their heading, the size of their words, their print."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.person import Person
from tests.browser.test_every_page import OF_A_SERVER, PAGES

pytestmark = pytest.mark.anyio

WIDE: ViewportSize = {"width": 1920, "height": 1000}

HEADING = """() => {
  const heading = document.querySelector("main h1")
  const tile = heading.previousElementSibling?.matches(".tile") ? heading.previousElementSibling : heading
  return [Math.round(tile.getBoundingClientRect().left), getComputedStyle(heading).fontSize]
}"""

SMALLEST = """() => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (words.nextNode()) {
    const { parentElement, data } = words.currentNode
    if (!data.trim() || !parentElement.checkVisibility() || parentElement.closest("script, noscript")) continue
    const { fontSize, fontFamily } = getComputedStyle(parentElement)
    if (parseFloat(fontSize) < (fontFamily.includes("mono") ? 13 : 14)) found.push(`${fontSize} ${data.trim()}`)
  }
  return found
}"""

SHIFTS = """
  window.shifted = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value)))
    .observe({ type: "layout-shift", buffered: true })
"""


async def pages(person: Person) -> list[str]:
    """Return the addresses of all pages; those of the demo in a room have larger type."""
    server = await person.api.server("Demo trips")
    return [page for page in PAGES if "present" not in page] + [f"/servers/{server}/{page}" for page in OF_A_SERVER]


async def test_headings_have_one_size_and_one_place(person: Person) -> None:
    await person.page.set_viewport_size(WIDE)
    found = {}
    # A page that asks to confirm has its heading in a box, and a scene of the demo stands in the middle.
    for path in [page for page in await pages(person) if not page.endswith(("/delete", "/mute", "/demo"))]:
        await person.page.goto(f"{person.served.base}{path}")
        found[path] = tuple(await person.page.evaluate(HEADING))
    assert set(found.values()) == {(264, "24px")}, found


async def test_no_words_are_smaller_than_14_pixels(person: Person, asker: str) -> None:
    request = await person.ask(asker, "Tea or coffee?")
    for path in [*await pages(person), f"/requests/{request['id']}", f"/calls/{request['call_id']}"]:
        await person.page.goto(f"{person.served.base}{path}")
        assert await person.page.evaluate(SMALLEST) == [], path


@pytest.mark.parametrize("path", ["/", "/calls", "/history", "/servers", "/requests/{id}", "/calls/{call_id}"])
async def test_a_page_stays_still_while_questions_come(person: Person, asker: str, path: str) -> None:
    # So low that the list is longer than its column in the end.
    await person.page.set_viewport_size({"width": 1280, "height": 600})
    left = await person.ask(asker, "Sugar?")
    await person.card(left).locator("input:not([type=hidden])").first.fill("Two")
    await person.draft_saved(left)
    # Below the list are what is done, and an unsent draft.
    await person.api.answer(left, action="decline")
    first = await person.ask(asker, "Tea or coffee?")
    await person.page.add_init_script(SHIFTS)
    await person.page.goto(f"{person.served.base}{path.format_map(first)}")
    await person.live()
    # On a slow machine a banner has said meanwhile that the page does not update by itself.
    await person.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await person.page.evaluate("window.shifted = 0")
    if path == "/calls":
        # The newest stand first: new ones wait until the list is left.
        await person.page.locator(f"#call-{first['call_id']}").hover()
    for number in range(8):
        await person.ask(asker, f"Cup {number}: tea or coffee?", opened=False)
    await expect(person.page).to_have_title(re.compile(r"^\(9\)"))
    await person.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert await person.page.evaluate("window.shifted") < 0.01


async def test_new_calls_are_listed_once_the_pointer_leaves(person: Person, asker: str) -> None:
    first = await person.ask(asker, "Tea or coffee?")
    await person.page.goto(f"{person.served.base}/calls")
    await person.live()
    row = person.page.locator(f"#call-{first['call_id']}")
    await row.hover()
    second = await person.ask(asker, "Milk or sugar?", opened=False)
    await expect(person.page).to_have_title(re.compile(r"^\(2\)"))
    assert await row.evaluate("row => row === row.parentElement.firstElementChild")
    await person.page.get_by_role("heading", name="Calls").hover()
    await expect(person.page.locator("#calls > :first-child")).to_have_id(f"call-{second['call_id']}")


async def test_the_key_of_a_search_stands_in_its_field(person: Person) -> None:
    await person.page.set_viewport_size(WIDE)
    await person.page.goto(f"{person.served.base}/servers/{await person.api.server('Demo trips')}/tools")
    field = await person.page.get_by_role("searchbox", name="Search tools").bounding_box()
    key = await person.page.locator(".entry-search__key").bounding_box()
    assert field
    assert key
    assert key["x"] + key["width"] < field["x"] + field["width"]


async def test_the_history_begins_close_below_its_filters(person: Person, asker: str) -> None:
    await person.api.answer(await person.ask(asker, "Tea or coffee?"), action="decline")
    await person.page.goto(f"{person.served.base}/history")
    chips = await person.page.locator(".chips").bounding_box()
    day = await person.page.locator(".entries__day").first.bounding_box()
    assert chips
    assert day
    assert 24 <= day["y"] - (chips["y"] + chips["height"]) <= 34


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
