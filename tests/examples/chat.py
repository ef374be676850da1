"""A chat app of `examples/`, run as its command runs it, and the frame in its page."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, FrameLocator, Page, expect

from tests.mcp_servers import ROOT, started


@dataclass
class Chat:
    """A running chat app, and the pages of people in browsers of their own."""

    address: str
    browser: Browser
    pages: list[Page] = field(default_factory=list)

    async def visited(self, query: str = "", *, script: str = "", **options: Any) -> Page:
        """Return the page of a person who has just opened the chat; `options` are those of the browser's context."""
        context = await self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        self.pages.append(page := await context.new_page())
        await page.add_init_script(script)
        await page.goto(f"{self.address}/?{query}" if query else self.address)
        return page


@asynccontextmanager
async def example(name: str) -> AsyncIterator[str]:
    """Run an example while the block runs, on a free port; give its address."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHAT_PORT", "0")
        environment.setenv("WEBCLIENT_UNDO_SECONDS", "0")
        line = [sys.executable, "examples/start.py", name]
        async with started(line, announce="Chat", cwd=ROOT, forked=False) as running:
            yield running.address


@asynccontextmanager
async def chat(name: str, browser: Browser) -> AsyncIterator[Chat]:
    """Run an example while the block runs, with a browser for its people."""
    async with example(name) as address:
        app = Chat(address, browser)
        yield app
        for page in app.pages:
            await page.context.close()


def inbox_of(page: Page) -> FrameLocator:
    """Return the frame of the element in the page."""
    return page.frame_locator("mcp-inbox iframe")


async def sees_no_requests(page: Page) -> None:
    """Wait until the frame in the page says that no question waits."""
    await expect(inbox_of(page).locator(".framed__empty")).to_be_visible()
    await expect(inbox_of(page).locator("article.card")).to_have_count(0)


async def accepts_another_date(page: Page) -> None:
    """Answer the question of `book_trip`, after its card has been in sight."""
    card = inbox_of(page).locator("article.card")
    await expect(card).to_have_attribute("data-armed", "")
    await card.get_by_role("radio", name="Yes").check()
    for sign in ("data-armed", "data-seen"):
        await expect(card).to_have_attribute(sign, "")
    await card.locator("button[value=accept]").click()
