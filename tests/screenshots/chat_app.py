"""Takes the pictures of chat apps that embed the inbox, of `examples/`, into `docs/screenshots`; `make screenshots`."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from tests.chromium import launched
from tests.examples.chat import chat, inbox_of
from tests.examples.people import ask, enter, open_badge
from tests.examples.people import say_in_chainlit as say
from tests.examples.people import sign_in_to_chainlit as sign_in
from tests.examples.widths import VIEWS, View, choose_yes, show
from tests.screenshots.__main__ import FOLDER, PATIENCE
from tests.screenshots.pictures import save

STEADY = "clock => { clock.textContent = 'Nov 24, 2026, 09:12' }"

PICTURES = {
    "plain": VIEWS,
    "messenger: message": VIEWS,
    "messenger: panel": VIEWS,
    "messenger: badge": VIEWS,
    "streamlit": VIEWS,
    "chainlit": VIEWS,
}
"""The views of each place of the element."""


async def main() -> None:
    """Take the picture of each chat when a tool has asked."""
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright, launched(playwright, headless_shell=False) as browser:
        await _readme(browser)
        for place, views in PICTURES.items():
            await _example(browser, place, views)


async def _readme(browser: Browser) -> None:
    async with chat("chainlit", browser) as app:
        page = await app.visited()
        await page.set_viewport_size({"width": 1280, "height": 720})
        await sign_in(page, "ada")
        await say(page, "Book me a trip on December 24")
        await _take(page, "en-light-1280", "chat-app")


async def _example(browser: Browser, place: str, views: tuple[View, ...]) -> None:
    name, _, display = place.partition(": ")
    async with chat(name, browser) as app:
        for view in views:
            page = await show(app, display, view)
            # The question of the first page waits in all others as well.
            if view is views[0]:
                await ask(page, place)
            else:
                await enter(page, place)
                await open_badge(page, place)
            # A page may be loaded again after a sign-in.
            await expect(inbox_of(page).locator("article.card")).to_be_visible()
            await page.evaluate("(direction) => (document.documentElement.dir = direction)", view.direction)
            folder, picture = f"en-{view.scheme}-{view.width}", f"example-{place.replace(': ', '-')}"
            await _take(page, folder, picture)
            if display == "badge":
                await page.locator("mcp-inbox").get_by_role("button", name="Close").click()
                await expect(page.locator("mcp-inbox").get_by_role("dialog")).to_have_count(0)
                await _save(page, folder, f"{picture}-closed")
            await page.context.close()
        app.pages.clear()


async def _take(page: Page, folder: str, name: str) -> None:
    card: Locator = inbox_of(page).locator("article.card")
    await expect(card).to_be_visible()
    await choose_yes(page, card)
    await expect(card.locator(".draft")).not_to_be_empty()
    await card.locator(".card__fact time").evaluate_all(f"clocks => clocks.forEach({STEADY})")
    await card.locator(".card__when time").evaluate_all("ages => ages.forEach((age) => (age.textContent = 'Now'))")
    await _save(page, folder, name)


async def _save(page: Page, folder: str, name: str) -> None:
    await page.mouse.move(0, 0)
    save(await page.screenshot(animations="disabled", caret="hide"), FOLDER / folder / f"{name}.webp")


if __name__ == "__main__":
    asyncio.run(main())
