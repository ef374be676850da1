"""Takes the pictures of chat apps that embed the inbox, of `examples/`, into `docs/screenshots`; `make screenshots`."""

from __future__ import annotations

import asyncio
from typing import Literal

from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from tests.chromium import launched
from tests.examples.chat import Chat, chat, inbox_of
from tests.examples.test_chainlit import say, sign_in
from tests.screenshots.__main__ import FOLDER
from tests.screenshots.pictures import save

STEADY = "clock => { clock.textContent = 'Nov 24, 2026, 09:12' }"

MESSENGER: tuple[tuple[str, int, int, Literal["light", "dark"], str], ...] = (
    ("message", 1280, 720, "light", "ltr"),
    ("message", 390, 780, "dark", "ltr"),
    ("panel", 1280, 720, "dark", "rtl"),
    ("panel", 768, 900, "light", "ltr"),
    ("badge", 390, 780, "light", "rtl"),
)
"""Place of the element, width, height, colour scheme, and direction of the page."""


async def main() -> None:
    """Take the picture of each chat when a tool has asked."""
    async with async_playwright() as playwright, launched(playwright, headless_shell=False) as browser:
        await _chainlit(browser)
        async with chat("messenger", browser) as app:
            for place, width, height, scheme, direction in MESSENGER:
                page = await app.visited()
                await page.set_viewport_size({"width": width, "height": height})
                await page.emulate_media(color_scheme=scheme)
                await _messenger(app, page, place, direction)
                await _take(page, f"en-{scheme}-{width}", f"messenger-{place}")


async def _chainlit(browser: Browser) -> None:
    async with chat("chainlit", browser) as app:
        page = await app.visited()
        await page.set_viewport_size({"width": 1280, "height": 720})
        await sign_in(page, "ada")
        await say(page, "Book me a trip on December 24")
        await _take(page, "en-light-1280", "chat-app")


async def _messenger(app: Chat, page: Page, place: str, direction: str) -> None:
    await page.goto(f"{app.address}/?{place}")
    await page.get_by_role("button", name="Sign in as Ada").click()
    await expect(page.get_by_role("link", name=place)).to_have_attribute("aria-current", "page")
    await page.evaluate("(direction) => (document.documentElement.dir = direction)", direction)
    if app.pages[0] == page:  # the question waits for the other pages as well
        await page.get_by_role("button", name="Send").click()
    await expect(page).to_have_title("(1) Team chat")
    if place == "badge":
        await page.locator("mcp-inbox").get_by_role("button", name="Questions for you").click()


async def _take(page: Page, folder: str, name: str) -> None:
    card: Locator = inbox_of(page).locator("article.card")
    await expect(card).to_be_visible()
    await card.get_by_role("radio", name="Yes").check()
    await expect(card.locator(".draft")).not_to_be_empty()
    await card.locator(".card__fact time").evaluate_all(f"clocks => clocks.forEach({STEADY})")
    await page.mouse.move(0, 0)
    save(await page.screenshot(animations="disabled", caret="hide"), FOLDER / folder / f"{name}.webp")


if __name__ == "__main__":
    asyncio.run(main())
