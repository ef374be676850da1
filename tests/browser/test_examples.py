"""The examples run with their one command, from the question in the conversation to the answer."""

from __future__ import annotations

import sys

import pytest
from playwright.async_api import Browser, expect

from tests.mcp_servers import ROOT, started

pytestmark = pytest.mark.anyio


async def test_the_plain_example_answers_in_its_own_page(chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_PORT", "0")
    line = [sys.executable, "examples/plain/chat.py"]
    async with started(line, announce="Chat", cwd=ROOT, forked=False) as chat:
        page = await chromium.new_page()
        await page.goto(chat.address)
        await page.get_by_role("button", name="Book me a trip").click()
        card = page.frame_locator("mcp-inbox iframe").locator("article.card")
        await expect(card).to_have_attribute("data-armed", "")
        await card.get_by_role("radio", name="Yes").check()
        await expect(card).to_have_attribute("data-armed", "")
        await card.locator("button[value=accept]").click()
        await expect(page.get_by_text("[SUCCESS]")).to_be_visible()
        await page.close()
