"""The program is killed under open pages with half-typed cards and started again: what a person then sees and does."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

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
    """A 2026-07-28 call waits on, its card stays as it is, and its draft is there when the page is opened again."""
    servers = {"it": entry("asker", era="2025-11-25"), "rounds": entry("asker", "--state-key", STATE_KEY)}
    async with at_a_program(tmp_path, servers, chromium) as person:
        call = await person.api.call("rounds", "ask_rounds", {"n": 1})
        [waiting] = await person.api.pending_requests(call)
        field = person.card(waiting).get_by_role("textbox").first
        await field.fill("typed before")
        await person.draft_saved(waiting)
        tab = Person(await person.page.context.new_page(), person.served, person.api)
        await tab.page.goto(person.served.base)
        await tab.live()
        request = await tab.ask("it", "Who?")
        name = tab.card(request).get_by_label("Name")
        await name.fill("Ada")
        await tab.draft_saved(request)
        await name.fill("Ada Lovelace")
        async with killed_and_started_again(tab, tmp_path, servers) as again:
            outcome = again.outcome(request)
            await expect(outcome).to_have_class("outcome outcome--interrupted", timeout=AGAIN)
            await expect(outcome).to_contain_text("Name: Ada Lovelace", timeout=AGAIN)
            await again.api.server("it")
            card = await again.start_over(request)
            await expect(card.get_by_label("Name")).to_have_value("Ada Lovelace")
            await again.press(card, "accept")
            await expect(again.page.locator(".head .status")).to_have_attribute("data-status", "completed")
            await _lives_through_it(Person(person.page, again.served, again.api), call, waiting, field)


async def _lives_through_it(person: Person, call: Json, request: Json, field: Locator) -> None:
    """The page of the call that waits on gets news again, and keeps what was typed."""
    await person.sees_stream("live", within=AGAIN)
    fresh = await person.ask("rounds", "After", opened=False)
    await expect(person.request_row(fresh)).to_be_visible()
    assert await field.input_value() == "typed before"
    await person.page.reload()
    assert await field.input_value() == "typed before"
    await person.press(person.card(request), "accept")
    done = await person.api.in_state(call, "done", "failed", "interrupted")
    assert "typed before" in str(done["result"])


async def test_a_forgotten_request_has_a_button_to_start_over(chromium: Browser, tmp_path: Path) -> None:
    """Without a key of its own, a server cannot read after a restart what it had sealed before."""
    async with AsyncExitStack() as servers_running:
        first = await servers_running.enter_async_context(running())
        servers = {
            "http": {"url": first.address, "era": "2026-07-28"},
            "stdio": entry("asker", era="2026-07-28"),
        }
        async with at_a_program(tmp_path, servers, chromium) as person:
            requests = {}
            for label in servers:
                [request] = await person.api.pending_requests(await person.api.call(label, "ask_rounds", {"n": 1}))
                await person.show(request)
                await person.card(request).get_by_label("Name").fill("Ada")
                await person.draft_saved(request)
                requests[label] = request
            first.kill()
            await servers_running.enter_async_context(running(port=first.port))
            async with killed_and_started_again(person, tmp_path, servers) as again:
                await again.sees_stream("live", within=AGAIN)
                for label in ("stdio", "http"):
                    await again.api.server(label)
                    status = await _started_over(again, requests[label])
                    await expect(status).to_have_attribute("data-status", "completed")


async def _started_over(person: Person, request: Json) -> Locator:
    """Answer, start over, and answer again; return where the page has the status of the call."""
    if not await person.card(request).is_visible():
        await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.press(person.card(request), "accept")
    outcome = person.outcome(request)
    await person.settled(request)
    await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.REQUEST_STATE_REJECTED)))
    card = await person.start_over(request)
    await expect(card).to_contain_text("Filled in with your previous answer. Check it before sending.")
    await expect(card.get_by_label("Name")).to_have_value("Ada")
    await person.press(card, "accept")
    return person.page.locator(".head .status")
