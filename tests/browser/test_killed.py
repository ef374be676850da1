"""The program is killed under open pages with half-typed cards and started again: what a person then sees and does."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.person import Person
from tests.mcp_servers import running, stdio
from tests.program import program
from webclient.model import Json, Reason, ReasonCode
from webclient.reasons import sentence

pytestmark = pytest.mark.anyio

AGAIN = 40_000
"""Milliseconds in which a page finds its program again and tries once more to keep what was typed."""


TOKEN = ["--token", "a token that stays the same"]
"""With another token browsers would have to sign in again."""


@asynccontextmanager
async def killed_and_started_again(person: Person, folder: Path, servers: Json) -> AsyncIterator[Person]:
    """Kill the program, and start it again where it was, with the same token; gives the person at the same page."""
    os.kill(person.served.pid, signal.SIGKILL)
    await expect(person.page.locator("#stream-state")).to_have_text("Reconnecting…")
    port = person.served.base.rpartition(":")[2]
    async with program(folder, servers=servers, options=[*TOKEN, "--port", port]) as served, served.client() as api:
        yield Person(person.page, served, api)


@asynccontextmanager
async def at_a_program(folder: Path, servers: Json, chromium: Browser) -> AsyncIterator[Person]:
    """Somebody at a program of their own, which may be killed."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(program(folder, servers=servers, options=TOKEN))
        api = await stack.enter_async_context(served.client())
        context = await stack.enter_async_context(await chromium.new_context())
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        await person.live()
        yield person


def entry(era: str) -> Json:
    return {key: value for key, value in stdio("asker").items() if key != "type" and value} | {"era": era}


async def test_a_killed_push_starts_over_with_the_typed_text(chromium: Browser, tmp_path: Path) -> None:
    servers = {"it": entry("2025-11-25")}
    async with at_a_program(tmp_path, servers, chromium) as person:
        request = await person.asked("it", "Who?")
        name = person.card(request).get_by_label("Name")
        await name.fill("Ada")
        await expect(person.card(request).get_by_text("Draft saved.")).to_be_visible()
        await name.fill("Ada Lovelace")
        async with killed_and_started_again(person, tmp_path, servers) as again:
            outcome = again.outcome(request)
            await expect(outcome).to_have_class("outcome outcome--interrupted", timeout=AGAIN)
            await expect(outcome).to_contain_text("Name: Ada Lovelace", timeout=AGAIN)
            await again.api.server("it")
            card = await again.start_over(request)
            await expect(card.get_by_label("Name")).to_have_value("Ada Lovelace")
            await again.press(card, "accept")
            await expect(again.page.locator("h1 + .state")).to_contain_text("done")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_forgotten_request_has_a_button_to_start_over(
    chromium: Browser, tmp_path: Path, transport: str
) -> None:
    """Without a key of its own, a server cannot read after a restart what it had sealed before."""
    async with AsyncExitStack() as servers_running:
        first = await servers_running.enter_async_context(running())
        http = {"url": first.address, "era": "2026-07-28"}
        servers = {"it": http if transport == "http" else entry("2026-07-28")}
        async with at_a_program(tmp_path, servers, chromium) as person:
            [request] = await person.api.asked(await person.api.call("it", "ask_rounds", {"n": 1}))
            await person.card(request).get_by_label("Name").fill("Ada")
            await expect(person.card(request).get_by_text("Draft saved.")).to_be_visible()
            first.kill()
            await servers_running.enter_async_context(running(port=first.port))
            async with killed_and_started_again(person, tmp_path, servers) as again:
                await expect(again.page.get_by_text("Live", exact=True)).to_be_visible(timeout=AGAIN)
                await again.press(again.card(request), "accept")
                outcome = again.outcome(request)
                await expect(outcome).to_contain_text("You answered it. Delivered.")
                await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.REQUEST_STATE_REJECTED)))
                card = await again.start_over(request)
                await expect(card).to_contain_text("Filled in with your previous answer. Check it before sending.")
                await expect(card.get_by_label("Name")).to_have_value("Ada")
                await again.press(card, "accept")
                await expect(again.page.locator("h1 + .state")).to_contain_text("done")
