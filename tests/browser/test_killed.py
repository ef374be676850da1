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
from tests.mcp_servers import STATE_KEY, entry, running
from tests.program import program
from webclient.domain.model import Json, Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

AGAIN = 40_000
"""Milliseconds in which a page finds its program again and tries once more to keep what was typed."""


TOKEN = ["--token", "a token that stays the same"]
"""With another token browsers would have to sign in again."""


@asynccontextmanager
async def killed_and_started_again(person: Person, folder: Path, servers: Json) -> AsyncIterator[Person]:
    """Kill the program, and start it again where it was, with the same token; gives the person at the same page."""
    os.kill(person.served.pid, signal.SIGKILL)
    await person.sees_stream("reconnecting")
    port = person.served.base.rpartition(":")[2]
    async with program(folder, servers=servers, options=[*TOKEN, "--port", port]) as served, served.client() as api:
        yield Person(person.page, served, api)


@asynccontextmanager
async def at_a_program(folder: Path, servers: Json, chromium: Browser) -> AsyncIterator[Person]:
    """Run a program that may be killed, with a person in front of it."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(program(folder, servers=servers, options=TOKEN))
        api = await stack.enter_async_context(served.client())
        context = await stack.enter_async_context(await chromium.new_context())
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        await person.live()
        yield person


async def test_a_killed_push_starts_over_with_the_typed_text(chromium: Browser, tmp_path: Path) -> None:
    servers = {"it": entry("asker", era="2025-11-25")}
    async with at_a_program(tmp_path, servers, chromium) as person:
        request = await person.ask("it", "Who?")
        name = person.card(request).get_by_label("Name")
        await name.fill("Ada")
        await person.draft_saved(request)
        await name.fill("Ada Lovelace")
        async with killed_and_started_again(person, tmp_path, servers) as again:
            outcome = again.outcome(request)
            await expect(outcome).to_have_class("outcome outcome--interrupted", timeout=AGAIN)
            await expect(outcome).to_contain_text("Name: Ada Lovelace", timeout=AGAIN)
            await again.api.server("it")
            card = await again.start_over(request)
            await expect(card.get_by_label("Name")).to_have_value("Ada Lovelace")
            await again.press(card, "accept")
            await expect(again.page.locator(".head .status")).to_have_attribute("data-status", "completed")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_forgotten_request_has_a_button_to_start_over(
    chromium: Browser, tmp_path: Path, transport: str
) -> None:
    """Without a key of its own, a server cannot read after a restart what it had sealed before."""
    async with AsyncExitStack() as servers_running:
        first = await servers_running.enter_async_context(running())
        http = {"url": first.address, "era": "2026-07-28"}
        servers = {"it": http if transport == "http" else entry("asker", era="2026-07-28")}
        async with at_a_program(tmp_path, servers, chromium) as person:
            [request] = await person.api.pending_requests(await person.api.call("it", "ask_rounds", {"n": 1}))
            await person.card(request).get_by_label("Name").fill("Ada")
            await person.draft_saved(request)
            first.kill()
            await servers_running.enter_async_context(running(port=first.port))
            async with killed_and_started_again(person, tmp_path, servers) as again:
                await again.sees_stream("live", within=AGAIN)
                await again.press(again.card(request), "accept")
                outcome = again.outcome(request)
                await again.settled(request)
                await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.REQUEST_STATE_REJECTED)))
                card = await again.start_over(request)
                await expect(card).to_contain_text("Filled in with your previous answer. Check it before sending.")
                await expect(card.get_by_label("Name")).to_have_value("Ada")
                await again.press(card, "accept")
                await expect(again.page.locator(".head .status")).to_have_attribute("data-status", "completed")


async def test_a_round_lives_through_a_restart_with_typed_text(chromium: Browser, tmp_path: Path) -> None:
    """A 2026-07-28 call waits on, its card stays as it is, and its draft is there when the page is opened again."""
    servers = {"it": entry("asker", "--state-key", STATE_KEY)}
    async with at_a_program(tmp_path, servers, chromium) as person:
        call = await person.api.call("it", "ask_rounds", {"n": 1})
        [request] = await person.api.pending_requests(call)
        field = person.card(request).get_by_role("textbox").first
        await field.fill("typed before")
        await person.draft_saved(request)
        async with killed_and_started_again(person, tmp_path, servers) as again:
            await again.sees_stream("live", within=15_000)
            fresh = await again.ask("it", "After", opened=False)
            await expect(again.request_row(fresh)).to_be_visible()
            assert await field.input_value() == "typed before"
            await again.page.reload()
            assert await field.input_value() == "typed before"
            await again.press(again.card(request), "accept")
            done = await again.api.in_state(call, "done", "failed", "interrupted")
            assert "typed before" in str(done["result"])
