"""A question in each example at four widths, light and dark, in both directions: declined where its chat shows it."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.test_embedding_in_chats import DOCS, OUTCOMES
from tests.examples.chat import chat, inbox_of, sees_no_requests
from tests.examples.test_chainlit import say as say_in_chainlit
from tests.examples.test_chainlit import sign_in as sign_in_to_chainlit
from tests.examples.test_streamlit import say as say_in_streamlit

pytestmark = pytest.mark.anyio

VIEWS = ((1280, 800, "light", "ltr"), (768, 1024, "dark", "rtl"), (390, 780, "light", "rtl"), (320, 640, "dark", "ltr"))
"""Width, height, colour scheme, and direction of the page."""

PLACES = ("plain", "messenger: message", "messenger: panel", "messenger: badge", "streamlit", "chainlit")

COVERED = """const dispatch = EventTarget.prototype.dispatchEvent
EventTarget.prototype.dispatchEvent = function (event) {
  if (event.type === "covered") window.covered = true
  return dispatch.call(this, event)
}"""
"""Notes in the page that the element has reported a cover."""

NARROW = 768
"""In a window that is narrower, the inbox of Chainlit covers its conversation until it is closed."""


async def ask(page: Page, place: str) -> None:
    """Sign in, and have the agent use a tool that asks."""
    name = place.partition(":")[0]
    if name == "chainlit":
        await sign_in_to_chainlit(page, "ada")
        if page.viewport_size and page.viewport_size["width"] < NARROW:
            await page.get_by_role("button", name="Close").click()
        await say_in_chainlit(page, "Book me a trip")
        return
    await page.get_by_role("button", name="Sign in as Ada").click()
    if name == "streamlit":
        await sees_no_requests(page)
        await say_in_streamlit(page, f"Book me a trip at {page.viewport_size}")
        return
    await page.get_by_role("button", name="Send").click()
    if place == "messenger: badge":
        await expect(page).to_have_title("(1) Team chat")
        await page.locator("mcp-inbox").get_by_role("button", name="Questions for you").click()


SCROLL = "([button]) => button?.scrollIntoViewIfNeeded()"
IS_ARMED_OR_GONE = "([card]) => !card || card.hasAttribute('data-armed')"


async def declined(page: Page, card: Locator) -> int:
    """Press *Decline* as a person does until it counts, and return how often."""
    notices = card.locator(".refusal")
    for number in (1, 2, 3):
        button = card.locator("button[value=decline]")
        await button.evaluate_all(SCROLL)
        # As long as it takes to see the button: it counts from then on, or something covers it.
        async with asyncio.timeout(30):
            while not await card.evaluate_all(IS_ARMED_OR_GONE) and not await page.evaluate("window.covered ?? false"):
                await page.wait_for_timeout(100)
        if not await card.count():
            # The press before was on its way, and what was pressed after it was refused.
            return max(1, number - 1)
        await expect(button).to_be_in_viewport(ratio=1)
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


@pytest.mark.parametrize("place", PLACES)
async def test_a_question_is_declined_in_each_example(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("WEBCLIENT_UNDO_SECONDS", "0")
    rows = []
    name, _, display = place.partition(": ")
    async with chat(name, chromium) as app:
        for width, height, scheme, direction in VIEWS:
            size = {"width": width, "height": height}
            page = await app.visited(display, script=COVERED, viewport=size, color_scheme=scheme)
            await ask(page, place)
            await page.evaluate("(direction) => (document.documentElement.dir = direction)", direction)
            card = inbox_of(page).locator("article.card[id^=request-]")
            await expect(card).to_be_visible()
            # The whole card fits into the width of the window.
            box = await card.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            number = await declined(page, card)
            rows.append(f"| {place} | {width} | {scheme}, {direction} | {OUTCOMES.get(number, 'refused')} |")
            await page.context.close()
        app.pages.clear()
    assert "\n".join(each for each in rows if each not in DOCS) == ""
