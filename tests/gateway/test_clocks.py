"""Clocks that jump between a proposal, its decision and its execution: nothing runs twice, and nothing that is late."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.clocks import set_clock
from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.gateway.test_agent_calls import call_id, fetched
from tests.gateway.test_approvals import ASK, PAY, counting, put_rules, ran, text
from tests.program import Api, Program, program
from tests.screenshots.clock import Clock
from tests.store.rows import a_request
from webclient.domain.model import Delivery, RequestState, now
from webclient.gateway.authorizer import is_valid

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
JUMPS = [(HOUR, -HOUR), (-HOUR, HOUR)]


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("later", "valid"),
    [
        (timedelta(), True),
        (timedelta(minutes=59), True),
        (timedelta(minutes=61), False),
        (timedelta(seconds=-30), True),
        # The clock was set back, so its age is not known.
        (-HOUR, False),
    ],
)
def test_a_decision_for_a_gateway_is_valid_for_an_hour(
    monkeypatch: pytest.MonkeyPatch, later: timedelta, valid: bool
) -> None:
    request = a_request(state=RequestState.ACCEPTED, delivery=Delivery.SENDING, settled_at=now())
    set_clock(monkeypatch, later)
    assert is_valid(request) == valid


@asynccontextmanager
async def timed_bank(folder: Path) -> AsyncIterator[tuple[Clock, Program, Api]]:
    """Start the program with the server that counts, under a clock that the test sets."""
    clock = Clock(folder / "clock")
    clock.set(NOON)
    async with (
        program(folder, servers=counting(folder), under=clock.command()) as running,
        running.client() as api,
    ):
        await api.server("bank")
        await put_rules(api, ASK)
        yield clock, running, api


async def page(running: Program, path: str) -> str:
    """Return a page as the person sees it."""
    async with httpx2.AsyncClient(base_url=running.base, follow_redirects=True) as browser:
        await browser.get("/login", params={"token": running.token})
        response = await browser.get(path)
        assert response.status_code == 200
        return response.text


async def test_clocks_that_jump_run_each_call_once(tmp_path: Path) -> None:
    async with timed_bank(tmp_path) as (clock, running, api):
        secret = await token(api, patience=1)
        payments = []
        for amount, (first, then) in enumerate(JUMPS):
            payment = PAY | {"amount": amount}
            payments.append(("pay", payment))
            clock.set(NOON)
            async with connected(running.base, secret, "bank") as agent:
                waiting = call_id(await agent.call_tool("pay", payment))
                (request,) = await open_requests(api)
                clock.set(NOON + first)
                await api.answer(request, action="accept")
                clock.set(NOON + first + then)
                assert text(await fetched(agent, waiting)).startswith("Paid")
                clock.set(NOON)
                # The same once more is another question, by any clock.
                assert call_id(await agent.call_tool("pay", payment)) != waiting
                (again,) = await open_requests(api)
                await api.answer(again, action="decline")
            assert (await api.json("GET", f"/calls/{waiting}"))["execution"] == "ran"
            for path in (f"/calls/{waiting}", f"/requests/{request['id']}", "/rules/insights", "/"):
                await page(running, path)
        assert ran(tmp_path) == payments


async def test_an_approval_after_the_deadline_runs_nothing(tmp_path: Path) -> None:
    async with timed_bank(tmp_path) as (clock, running, api):
        async with connected(running.base, await token(api, patience=1), "bank") as agent:
            waiting = call_id(await agent.call_tool("pay", PAY))
            (request,) = await open_requests(api)
            clock.set(NOON + timedelta(hours=25))
            await api.answer(request, 409, action="accept")
            # Back again, it stays so.
            clock.set(NOON)
            await api.answer(request, 409, action="accept")
            assert (await fetched(agent, waiting)).is_error
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "expired"
        assert ran(tmp_path) == []
