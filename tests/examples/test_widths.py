"""A question in each example at four widths, light and dark, in both directions: answered where its chat shows it."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.test_embedding_in_chats import DOCS, OUTCOMES
from tests.examples.chat import Chat, chat, inbox_of, sees_no_requests
from tests.examples.test_chainlit import say as say_in_chainlit
from tests.examples.test_chainlit import sign_in as sign_in_to_chainlit
from tests.examples.test_streamlit import say as say_in_streamlit

pytestmark = pytest.mark.anyio


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

PLACES = ("plain", "messenger: message", "messenger: panel", "messenger: badge", "streamlit", "chainlit")

COVERED = """const dispatch = EventTarget.prototype.dispatchEvent
EventTarget.prototype.dispatchEvent = function (event) {
  if (event.type === "covered") window.covered = true
  return dispatch.call(this, event)
}"""
"""Notes in the page that the element has reported a cover."""

NARROW = 768
"""In a window that is narrower, the inbox of Chainlit covers its conversation until it is closed."""


async def enter(page: Page, place: str) -> None:
    """Sign in."""
    if place == "chainlit":
        await sign_in_to_chainlit(page, "ada")
    else:
        await page.get_by_role("button", name="Sign in as Ada").click()


async def ask(page: Page, place: str) -> None:
    """Sign in, and have the agent use a tool that asks."""
    await enter(page, place)
    if place == "chainlit":
        if page.viewport_size and page.viewport_size["width"] < NARROW:
            await page.get_by_role("button", name="Close").click()
        await say_in_chainlit(page, "Book me a trip")
    elif place == "streamlit":
        await sees_no_requests(page)
        await say_in_streamlit(page, f"Book me a trip at {page.viewport_size}")
    else:
        await page.get_by_role("button", name="Send").click()
    await open_badge(page, place)


async def open_badge(page: Page, place: str) -> None:
    """Open the panel of a badge once a question waits."""
    if place == "messenger: badge":
        await expect(page).to_have_title("(1) Team chat")
        await page.locator("mcp-inbox").get_by_role("button", name="Questions for you").click()


SCROLL = "([button]) => button?.scrollIntoViewIfNeeded()"
IS_ARMED_OR_GONE = "([card]) => !card || card.hasAttribute('data-armed')"


async def choose_yes(page: Page, card: Locator) -> None:
    """Choose *Yes*, again if the click is lost."""
    yes = card.get_by_role("radio", name="Yes")
    # Chromium drops clicks into a frame that has just moved or grown.
    async with asyncio.timeout(30):
        while not await yes.is_checked():
            await yes.click()
            await page.wait_for_timeout(600)


async def read(page: Page, card: Locator) -> None:
    """Choose *Yes*, and scroll through the card as a person who reads does."""
    parts = [card.locator(part) for part in ("h2", "[role=radiogroup]", "button[value=accept]")]
    await choose_yes(page, card)
    for _ in range(3):
        for part in parts:
            await part.evaluate("(part) => part.scrollIntoView({ block: 'center' })")
            await page.wait_for_timeout(1300)
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


async def show(app: Chat, display: str, view: View) -> Page:
    """Open an example in a window of its own."""
    size = {"width": view.width, "height": view.height}
    return await app.visited(display, script=COVERED, viewport=size, color_scheme=view.scheme)


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


@pytest.mark.parametrize("place", PLACES)
async def test_a_question_is_answered_in_each_example(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("WEBCLIENT_UNDO_SECONDS", "0")
    rows = []
    name, _, display = place.partition(": ")
    async with chat(name, chromium) as app:
        for view in VIEWS:
            page = await show(app, display, view)
            await ask(page, place)
            rows.append(await outcome(page, place, view))
            await page.context.close()
        app.pages.clear()
    assert "\n".join(each for each in rows if each not in DOCS) == ""


async def test_a_question_is_answered_in_an_open_sheet_of_chainlit(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBCLIENT_UNDO_SECONDS", "0")
    rows = []
    async with chat("chainlit", chromium) as app:
        asking = await show(app, "", VIEWS[0])
        await sign_in_to_chainlit(asking, "ada")
        for view in VIEWS:
            if view.width >= NARROW:
                continue
            # The sheet is open from the start, and covers where one types: the person asks in another window.
            page = await show(app, "", view)
            await sign_in_to_chainlit(page, "ada")
            await sees_no_requests(page)
            await say_in_chainlit(asking, "Book me a trip")
            rows.append(await outcome(page, "chainlit: sheet left open", view))
            await expect(inbox_of(asking).locator("article.card")).to_have_count(0)
    assert "\n".join(each for each in rows if each not in DOCS) == ""


@pytest.mark.parametrize("place", PLACES)
def test_each_example_was_walked_in_other_browsers(place: str) -> None:
    for view in VIEWS:
        assert f"| {place} | {view.width} | answered at once | answered at once |" in DOCS
