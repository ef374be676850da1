"""Takes the picture of the chat app in the README, the example on Chainlit; `make screenshots`."""

from __future__ import annotations

import asyncio

from playwright.async_api import async_playwright, expect

from tests.chromium import launched
from tests.examples.chat import chat, inbox_of
from tests.examples.test_chainlit import say, sign_in
from tests.screenshots.__main__ import FOLDER
from tests.screenshots.pictures import save

FILE = FOLDER / "en-light-1280" / "chat-app.webp"
STEADY = "clock => { clock.textContent = 'Nov 24, 2026, 09:12' }"


async def main() -> None:
    """Ask for a trip, and take the picture when the tool has asked."""
    async with (
        async_playwright() as playwright,
        launched(playwright, headless_shell=False) as browser,
        chat("chainlit", browser) as app,
    ):
        page = await app.visited()
        await page.set_viewport_size({"width": 1280, "height": 720})
        await sign_in(page, "ada")
        await say(page, "Book me a trip on December 24")
        card = inbox_of(page).locator("article.card")
        await expect(card).to_have_attribute("data-armed", "")
        await card.get_by_role("radio", name="Yes").check()
        await expect(card.locator(".draft")).not_to_be_empty()
        await card.locator(".card__fact time").evaluate_all(f"clocks => clocks.forEach({STEADY})")
        await page.mouse.move(0, 0)
        save(await page.screenshot(animations="disabled", caret="hide"), FILE)


if __name__ == "__main__":
    asyncio.run(main())
