"""Approved calls: each card and each history says whether its call waits, ran once or did not run, or is unknown."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import MCPError

from tests.gateway.agents import connected, token
from tests.gateway.houses import open_requests
from tests.gateway.test_agent_calls import call_id, calls, fetched
from tests.gateway.test_approvals import ASK, PAY, bank, counting, put_rules, ran, text
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

REFUSE = {"tool": "pay", "then": "refuse"}


class Decided:
    """A payment that a person has decided on while its agent was away."""

    def __init__(self, running: Program, api: Api, secret: str, waiting: str, request: Json) -> None:
        self.running = running
        self.api = api
        self.secret = secret
        self.waiting = waiting
        self.request = request


@asynccontextmanager
async def approved_while_away(
    folder: Path, arguments: Mapping[str, Any] = PAY, **answer: Any
) -> AsyncIterator[Decided]:
    """Have an agent propose a payment and go away, and approve it."""
    async with bank(folder, ASK) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            waiting = call_id(await agent.call_tool("pay", dict(arguments)))
            (request,) = await open_requests(api)
        await api.answer(request, action="accept", **answer)
        yield Decided(running, api, secret, waiting, request)


async def execution(api: Api, call: str) -> str:
    """Return what became of a call that was approved."""
    return str((await api.json("GET", f"/calls/{call}"))["execution"])


async def shown(running: Program, request: Json) -> str:
    """Return what the card and the page of the call say of the execution."""
    async with httpx2.AsyncClient(base_url=running.base, follow_redirects=True) as browser:
        await browser.get("/login", params={"token": running.token})
        pages = [await browser.get(f"/requests/{request['id']}"), await browser.get(f"/calls/{request['call_id']}")]
    said = {page.text.partition('data-execution="')[2].partition('"')[0] for page in pages}
    assert len(said) == 1
    assert ('data-waits-for="agent"' in pages[1].text) == (said == {"waits"})
    return said.pop()


def steps(call: Json) -> Sequence[str]:
    """Return the steps in the history of a call."""
    return [entry["step"] for entry in call["history"]]


@pytest.mark.smoke
async def test_an_approved_call_waits_for_its_agent_and_runs_once(tmp_path: Path) -> None:
    async with approved_while_away(tmp_path) as decided:
        api = decided.api
        assert await execution(api, decided.waiting) == "waits"
        assert await shown(decided.running, decided.request) == "waits"
        assert steps(await api.json("GET", f"/calls/{decided.waiting}")) == ["proposed", "decided"]
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            assert text(await fetched(agent, decided.waiting)).startswith("Paid")
        call = await api.json("GET", f"/calls/{decided.waiting}")
        assert call["execution"] == await shown(decided.running, decided.request) == "ran"
        assert steps(call) == ["proposed", "decided", "executed", "returned"]
        assert {entry["digest"] for entry in call["history"][:3]} == {decided.request["digest"]}
        times = [entry["at"] for entry in call["history"]]
        assert times == sorted(times)
        assert ran(tmp_path) == [("pay", PAY)]


async def test_the_history_has_what_was_edited_and_its_digest(tmp_path: Path) -> None:
    edited = {**PAY, "amount": 25}
    async with approved_while_away(tmp_path, content={"arguments": edited}) as decided:
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            await fetched(agent, decided.waiting)
        proposed, chosen, executed, _returned = (await decided.api.json("GET", f"/calls/{decided.waiting}"))["history"]
        assert (chosen["verb"], chosen["edited"]) == ("edit", ["amount"])
        assert chosen["digest"] == executed["digest"] != proposed["digest"]
        assert ran(tmp_path) == [("pay", edited)]


async def test_a_rule_that_refuses_by_now_stops_an_approved_call(tmp_path: Path) -> None:
    async with approved_while_away(tmp_path) as decided:
        await put_rules(decided.api, REFUSE)
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            result = await fetched(agent, decided.waiting)
        assert result.is_error
        call = await decided.api.json("GET", f"/calls/{decided.waiting}")
        assert (call["execution"], call["error"]["reason_code"]) == ("not_run", "refused_by_rule")
        assert await shown(decided.running, decided.request) == "not_run"
        assert ran(tmp_path) == []


async def test_no_edit_makes_a_call_that_a_rule_refuses(tmp_path: Path) -> None:
    refused = {**REFUSE, "arguments": {"properties": {"amount": {"minimum": 1000}}, "required": ["amount"]}}
    async with approved_while_away(tmp_path, content={"arguments": {**PAY, "amount": 5000}}) as decided:
        await put_rules(decided.api, refused, ASK)
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            assert (await fetched(agent, decided.waiting)).is_error
        assert ran(tmp_path) == []


@pytest.mark.parametrize(
    "rules",
    [
        [],
        [{"tool": "pay", "then": "run"}],
        [{"tool": "look", "then": "refuse"}, ASK],
        [{**ASK, "report_only": True, "counts_from": "2026-01-01T00:00:00Z"}],
    ],
)
async def test_an_approval_outlives_rules_that_do_not_refuse(tmp_path: Path, rules: list[Json]) -> None:
    async with approved_while_away(tmp_path) as decided:
        await put_rules(decided.api, *rules)
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            assert text(await fetched(agent, decided.waiting)).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]


async def test_another_version_of_the_rule_asks_again(tmp_path: Path) -> None:
    async with approved_while_away(tmp_path) as decided:
        await put_rules(decided.api, {"tool": "p*", "then": "ask"})
        async with connected(decided.running.base, decided.secret, "bank") as agent:
            assert call_id(await agent.call_tool("await_answer", {"call": decided.waiting})) == decided.waiting
            (again,) = await open_requests(decided.api)
            assert again["reason_code"] == "rule_changed"
            assert ran(tmp_path) == []
            await decided.api.answer(again, action="accept")
            assert text(await fetched(agent, decided.waiting)).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]


async def test_a_call_that_a_kill_cut_off_is_not_known_to_have_run(tmp_path: Path) -> None:
    async with bank(tmp_path, {"tool": "linger", "then": "ask"}) as (running, api):
        secret = await token(api, patience=60)
        async with connected(running.base, secret, "bank") as agent:
            calling = asyncio.create_task(agent.call_tool("linger", {}))
            (request,) = await open_requests(api)
            await api.answer(request, action="accept")
            waiting = str(request["call_id"])
            while not ran(tmp_path):
                await api.json("GET", f"/calls/{waiting}", params={"wait": 0.1})
            assert await execution(api, waiting) == "runs"
            os.kill(running.pid, signal.SIGKILL)
            with suppress(MCPError):
                await calling
    async with program(tmp_path, servers=counting(tmp_path)) as running, running.client() as api:
        (call,) = await calls(api)
        call = await api.json("GET", f"/calls/{call['id']}")
        assert (call["execution"], steps(call)) == ("unknown", ["proposed", "decided", "executed"])
        assert await shown(running, request) == "unknown"


async def test_a_decision_outlives_a_kill_and_has_not_run(tmp_path: Path) -> None:
    async with approved_while_away(tmp_path) as decided:
        os.kill(decided.running.pid, signal.SIGKILL)
    async with program(tmp_path, servers=counting(tmp_path)) as running, running.client() as api:
        await api.server("bank")
        assert await execution(api, decided.waiting) == "waits"
        # The agent is not there, so a rule can still keep it from running.
        await put_rules(api, REFUSE)
        async with connected(running.base, decided.secret, "bank") as agent:
            assert (await fetched(agent, decided.waiting)).is_error
        assert await execution(api, decided.waiting) == "not_run"
        assert ran(tmp_path) == []
