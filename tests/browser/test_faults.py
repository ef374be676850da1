"""A server dies, hangs or is cut off while a person answers it."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest
from playwright.async_api import BrowserContext, expect

from tests.browser.person import Person
from tests.mcp_servers import STATE_KEY, RunningServer, running
from tests.mcp_servers.proxy import Proxy, proxied
from tests.program import Api
from webclient.domain.model import Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

PATIENCE = 30_000
"""Milliseconds within which a fault must show."""

_numbers = count(1)


@asynccontextmanager
async def at_the_end_of_a_line(api: Api, era: str) -> AsyncIterator[tuple[str, RunningServer, Proxy]]:
    """Connect an asking server through a proxy; give its label."""
    label = f"far away {next(_numbers)}"
    async with running(arguments=["--state-key", STATE_KEY]) as server, proxied(server.address) as (proxy, address):
        body = {"label": label, "transport": {"type": "http", "url": address}, "era": era}
        added = await api.json("POST", "/servers", 201, json=body)
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        await api.server(label)
        try:
            yield label, server, proxy
        finally:
            await api.delete(f"/servers/{added['id']}")


async def test_typed_text_stays_readable_after_a_withdrawal(
    person: Person, asker: str, context: BrowserContext
) -> None:
    call = await person.api.call(asker, "ask_then_cancel", {"name": "typed"})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    other = await context.new_page()
    await other.goto(person.served.base)
    await person.card(request).get_by_label("Name").press_sequentially("Ada Lovelace")
    await person.api.call(asker, "release", {"name": "typed"})
    for page in (person.page, other):
        outcome = page.locator(f"#outcome-{request['id']}")
        await expect(outcome).to_contain_text("Your unsent text")
        await expect(outcome).to_contain_text("Name: Ada Lovelace")
    why = sentence(Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="caller cancelled"))
    await expect(person.outcome(request)).to_contain_text(why)
    await expect(person.card(request)).to_have_count(0)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await expect(person.outcome(request)).to_contain_text("Name: Ada Lovelace")
    await expect(person.outcome(request).get_by_role("button", name="Copy")).to_be_visible()


async def test_a_draft_outlasts_a_pause_a_lost_answer_and_a_cut(person: Person) -> None:
    async with at_the_end_of_a_line(person.api, "2025-11-25") as (label, server, proxy):
        # A paused server is not answering, and its card stays.
        request = await person.ask(label, "Who?")
        card = person.card(request)
        await card.get_by_label("Name").fill("Ada")
        os.kill(server.pid, signal.SIGSTOP)
        row = person.page.locator("#servers > li").filter(has_text=label)
        await expect(row).to_contain_text("Not responding", timeout=PATIENCE)
        await expect(card).to_contain_text("does not answer at the moment")
        await expect(card.get_by_label("Name")).to_have_value("Ada")
        os.kill(server.pid, signal.SIGCONT)
        await expect(row).not_to_contain_text("Not responding", timeout=PATIENCE)
        await expect(card).not_to_contain_text("does not answer at the moment")
        await person.press(card, "accept")
        await expect(person.outcome(request)).to_contain_text("Delivered to")

        # An answer that may not arrive is said so, and kept.
        await person.page.goto(person.served.base)
        request = await person.ask(label, "Who else?")
        await person.card(request).get_by_label("Name").fill("Grace")
        proxy.deny(b'"action"')
        await person.press(person.card(request), "accept")
        outcome = person.outcome(request)
        await expect(outcome).to_contain_text("Sending…")
        await expect(outcome).to_contain_text("It is not known whether", timeout=PATIENCE)
        await expect(outcome.locator("pre")).to_contain_text('"name": "Grace"')
        await expect(outcome.get_by_role("button", name="Copy")).to_be_visible()
        assert (await person.api.json("GET", f"/requests/{request['id']}"))["delivery"] == "unknown"
        proxy.deny(b"")
        card = await person.start_over(request)
        await expect(card.get_by_label("Name")).to_have_value("Grace")
        await person.press(card, "accept")
        await _is_completed(person)
        assert (await person.api.json("GET", f"/calls/{request['call_id']}"))["state"] == "cancelled"

        # A call that is interrupted starts over with what was typed.
        await person.page.goto(person.served.base)
        request = await person.ask(label, "And you?")
        await person.card(request).get_by_label("Name").fill("Edsger")
        await person.draft_saved(request)
        proxy.cut()
        outcome = person.outcome(request)
        await expect(outcome).to_have_class("outcome outcome--interrupted")
        await expect(outcome).to_contain_text("Name: Edsger")
        await person.api.server(label)
        card = await person.start_over(request)
        await expect(card).to_contain_text("Filled in with your previous answer")
        await expect(card.get_by_label("Name")).to_have_value("Edsger")
        await person.press(card, "accept")
        await _is_completed(person)


async def _is_completed(person: Person) -> None:
    await expect(person.page.locator(".head .status")).to_have_attribute("data-status", "completed")
