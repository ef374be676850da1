"""A walk through an example at four widths, light and dark, in both directions: its questions are answered in each."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from playwright.async_api import Locator, Page, expect

from tests.browser.test_embedding_in_chats import DOCS, OUTCOMES, READING_MS
from tests.examples.chat import Chat, inbox_of
from tests.examples.people import ask


class View(NamedTuple):
    """A window, and the direction of the page in it."""

    width: int
    height: int
    scheme: str
    direction: str


VIEWS = (
    View(1280, 800, "light", "ltr"),
    View(768, 1024, "dark", "rtl"),
    View(390, 780, "light", "rtl"),
    View(320, 640, "dark", "ltr"),
)

COVERED = """const dispatch = EventTarget.prototype.dispatchEvent
EventTarget.prototype.dispatchEvent = function (event) {
  if (event.type === "covered") window.covered = true
  return dispatch.call(this, event)
}"""
"""Notes in the page that the element has reported a cover."""


async def walk(app: Chat, place: str) -> Page:
    """Answer a question in each view, in a page that is loaded for it; return the page."""
    page = await show(app, place.partition(": ")[2], VIEWS[0])
    rows: list[str] = []
    for view in VIEWS:
        if rows:
            await show_again(page, view)
        await ask(page, place)
        rows.append(await outcome(page, place, view))
    assert [each for each in rows if each not in DOCS] == []
    return page


async def show(app: Chat, display: str, view: View) -> Page:
    """Open an example in a window of its own."""
    size = {"width": view.width, "height": view.height}
    return await app.visited(display, script=COVERED, viewport=size, color_scheme=view.scheme)


async def show_again(page: Page, view: View) -> None:
    """Load a page in a window of this kind."""
    await page.set_viewport_size({"width": view.width, "height": view.height})
    await page.emulate_media(color_scheme="dark" if view.scheme == "dark" else "light")
    await page.reload()


async def outcome(page: Page, place: str, view: View) -> str:
    """Answer the question that the page shows, and return the row of the table."""
    await page.evaluate("(direction) => (document.documentElement.dir = direction)", view.direction)
    card = inbox_of(page).locator("article.card[id^=request-]")
    await expect(card).to_be_visible()
    # The whole card fits into the width of the window.
    box = await card.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= view.width
    await read(page, card)
    number = await sent(page, card)
    return f"| {place} | {view.width} | {view.scheme}, {view.direction} | {OUTCOMES.get(number, 'refused')} |"


SCROLL = "([button]) => button?.scrollIntoViewIfNeeded()"
IS_ARMED_OR_GONE = "([card]) => !card || card.hasAttribute('data-armed')"


async def choose_yes(page: Page, card: Locator) -> None:
    """Choose *Yes*, again if the click is lost."""
    yes = card.get_by_role("radio", name="Yes")
    # Chromium drops clicks into a frame that has just moved or grown. By the mouse alone, in the middle of the window:
    # Playwright scrolls until nothing covers the button, and in a page that scrolls the frame stays behind bars.
    async with asyncio.timeout(30):
        while not await yes.is_checked():
            await yes.evaluate("(button) => button.scrollIntoView({ block: 'center' })")
            await page.wait_for_timeout(700)
            if box := await yes.bounding_box():
                await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            await page.wait_for_timeout(600)


async def read(page: Page, card: Locator) -> None:
    """Choose *Yes*, and scroll through the card as a person who reads does."""
    parts = [card.locator(part) for part in ("h2", "[role=radiogroup]", "button[value=accept]")]
    await choose_yes(page, card)
    for _ in range(5):
        for part in parts:
            await part.evaluate("(part) => part.scrollIntoView({ block: 'center' })")
            await page.wait_for_timeout(READING_MS)
        if await card.get_attribute("data-seen") is not None or await page.evaluate("window.covered ?? false"):
            return


async def sent(page: Page, card: Locator) -> int:
    """Press *Send answer* as a person does until it counts, and return how often."""
    notices = card.locator(".refusal")
    for number in (1, 2, 3):
        button = card.locator("button[value=accept]")
        # As long as it takes to see the button: it counts from then on, or something covers it.
        async with asyncio.timeout(30):
            while not await card.evaluate_all(IS_ARMED_OR_GONE) and not await page.evaluate("window.covered ?? false"):
                # Each time: the frame may have grown since, and the button is below the window then. But not all the
                # time: a page that scrolls is not at rest, and what covers the frame stays in front of it.
                await button.evaluate_all(SCROLL)
                await page.wait_for_timeout(700)
        if not await card.count():
            # The press before was on its way, and what was pressed after it was refused.
            return max(1, number - 1)
        await expect(button).to_be_in_viewport(ratio=0.99)  # all of it, but for parts of a pixel
        await notices.evaluate_all("(all) => all.forEach((each) => each.remove())")
        # Chromium drops clicks into a frame that has just moved, so one that never came in does not count as a press.
        async with asyncio.timeout(30):
            while await card.count() and not await notices.count():
                if box := await button.bounding_box():
                    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                await page.wait_for_timeout(600)
        if not await card.count():
            return number
        await page.evaluate("window.covered = false")
        await expect(card).to_have_attribute("data-armed", "")
    return 0
