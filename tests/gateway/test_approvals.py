"""A rule asks a person before an agent's call: what was shown and approved runs, once, and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio import Task
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.gateway.test_agent_calls import call_id, calls, fetched
from tests.mcp_servers import entry
from tests.mcp_servers.counting import runs
from tests.program import Api, Program, program
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

PAY = {"to": "DE12", "amount": 250}
ASK = {"tool": "pay", "then": "ask"}


def counting(folder: Path) -> Json:
    """Return the entry of the server that counts."""
    return {"bank": entry("counting", str(folder / "runs"))}


async def put_rules(api: Api, *rules: Json, status: int = 200) -> Json:
    """Replace the rules."""
    found: Json = await api.json("PUT", "/rules", status, json={"rules": rules})
    return found


@asynccontextmanager
async def bank(folder: Path, *rules: Json) -> AsyncIterator[tuple[Program, Api]]:
    """Start the program with the server that counts, and these rules."""
    async with house(folder, **counting(folder)) as (running, api):
        await put_rules(api, *rules)
        yield running, api


@asynccontextmanager
async def proposed(folder: Path, era: Era = Era.PUSH) -> AsyncIterator[tuple[Api, Json, Task[CallToolResult]]]:
    """Have an agent propose a payment; give the question and the call, which waits."""
    async with (
        bank(folder, ASK) as (running, api),
        connected(running.base, await token(api, patience=60), "bank", era) as agent,
        asyncio.TaskGroup() as tasks,
    ):
        calling = tasks.create_task(agent.call_tool("pay", PAY))
        (request,) = await open_requests(api)
        yield api, request, calling


def text(result: CallToolResult) -> str:
    """Return the text of a result."""
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def ran(folder: Path) -> list[tuple[str, dict[str, object]]]:
    """Return what the server ran."""
    return runs(folder / "runs")


@pytest.mark.smoke
@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_approved_call_runs_once_as_it_was_shown(tmp_path: Path, era: Era) -> None:
    async with proposed(tmp_path, era) as (api, request, calling):
        assert (request["kind"], request["asked_by"]["kind"], request["asked_by"]["label"]) == (
            "approval",
            "agent",
            "My agent",
        )
        assert request["params"]["tool"]["annotations"]["destructiveHint"] is True
        assert request["params"]["arguments"] == PAY
        assert ran(tmp_path) == []
        await api.answer(request, action="accept", digest=request["digest"])
        assert text(await calling).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]


async def test_an_edited_call_runs_as_edited_and_the_agent_learns_it(tmp_path: Path) -> None:
    async with proposed(tmp_path) as (api, request, calling):
        edited = PAY | {"amount": 25}
        await api.answer(request, action="accept", content={"arguments": edited})
        result = await calling
        assert (result.meta or {})["mcp-webclient/approval"]["arguments"] == edited
        assert ran(tmp_path) == [("pay", edited)]
        (call,) = await calls(api)
        assert call["arguments"] == edited
        settled = await api.json("GET", f"/requests/{request['id']}")
        assert settled["params"]["arguments"] == PAY


async def test_words_of_a_rejection_reach_the_agent(tmp_path: Path) -> None:
    async with proposed(tmp_path) as (api, request, calling):
        await api.answer(request, action="decline", message="Ask the finance team.")
        result = await calling
        assert result.is_error
        assert "Ask the finance team." in text(result)
        assert ran(tmp_path) == []


async def test_an_answer_in_the_place_of_the_tool_is_the_result(tmp_path: Path) -> None:
    async with proposed(tmp_path) as (api, request, calling):
        await api.answer(request, action="accept", content={"respond": "Already paid."})
        result = await calling
        assert (result.is_error, text(result)) == (False, "Already paid.")
        assert ran(tmp_path) == []


async def test_a_call_does_not_run_for_an_agent_that_has_gone(tmp_path: Path) -> None:
    async with bank(tmp_path, ASK) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            waiting = call_id(await agent.call_tool("pay", PAY))
            (request,) = await open_requests(api)
        await api.answer(request, action="accept")
        await asyncio.sleep(0.5)
        assert ran(tmp_path) == []
        async with connected(running.base, secret, "bank") as agent:
            result = await agent.call_tool("pay", PAY)
            result = result if text(result).startswith("Paid") else await fetched(agent, waiting)
            assert text(result).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]
        assert len(await calls(api)) == 1


async def test_equal_proposals_are_one_card_and_another_is_another(tmp_path: Path) -> None:
    async with (
        bank(tmp_path, ASK) as (running, api),
        connected(running.base, await token(api, patience=1), "bank") as agent,
    ):
        first = call_id(await agent.call_tool("pay", PAY))
        assert call_id(await agent.call_tool("pay", PAY)) == first
        assert call_id(await agent.call_tool("pay", PAY | {"amount": 9})) != first
        assert len(await open_requests(api, 2)) == 2


async def test_a_question_decides_also_after_a_restart(tmp_path: Path) -> None:
    async with bank(tmp_path, ASK) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            await agent.call_tool("pay", PAY)
            (request,) = await open_requests(api)
    async with program(tmp_path, servers=counting(tmp_path)) as running, running.client() as api:
        await api.server("bank")
        await api.answer(request, action="accept", content={"arguments": PAY | {"amount": 1}})
        async with connected(running.base, secret, "bank") as agent:
            assert text(await agent.call_tool("pay", PAY)).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY | {"amount": 1})]


async def test_a_decision_taken_before_a_restart_is_taken_up_after_it(tmp_path: Path) -> None:
    async with bank(tmp_path, ASK) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            waiting = call_id(await agent.call_tool("pay", PAY))
            (request,) = await open_requests(api)
        await api.answer(request, action="accept")
    async with program(tmp_path, servers=counting(tmp_path)) as running, running.client() as api:
        await api.server("bank")
        assert ran(tmp_path) == []
        async with connected(running.base, secret, "bank") as agent:
            assert text(await fetched(agent, waiting)).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]


async def test_a_call_that_a_kill_cut_off_does_not_run_again(tmp_path: Path) -> None:
    rule = {"tool": "linger", "then": "ask"}
    async with bank(tmp_path, rule) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            waiting = call_id(await agent.call_tool("linger", {}))
            (request,) = await open_requests(api)
            await api.answer(request, action="accept")
            fetching = asyncio.create_task(agent.call_tool("await_answer", {"call": waiting}))
            # Its line is written before it lingers.
            while not ran(tmp_path):
                await api.json("GET", f"/calls/{waiting}", params={"wait": 0.1})
            os.kill(running.pid, signal.SIGKILL)
            with suppress(MCPError):
                await fetching
    async with program(tmp_path, servers=counting(tmp_path)) as running, running.client() as api:
        await api.server("bank")
        (call,) = await calls(api)
        assert call["state"] == "interrupted"
        assert ran(tmp_path) == [("linger", {})]


async def test_a_tool_that_has_changed_asks_again(tmp_path: Path) -> None:
    async with bank(tmp_path, ASK) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "bank") as agent:
            waiting = call_id(await agent.call_tool("pay", PAY))
            (request,) = await open_requests(api)
            assert text(await agent.call_tool("renew", {})) == "Changed."
            (server,) = (await api.json("GET", "/servers"))["servers"]
            while "any account" not in str(await api.json("GET", f"/servers/{server['id']}/tools")):
                pass
            await api.answer(request, action="accept")
            assert call_id(await agent.call_tool("await_answer", {"call": waiting})) == waiting
            (again,) = await open_requests(api)
            assert again["id"] != request["id"]
            assert again["reason_code"] == "tool_changed"
            assert ran(tmp_path) == []
            await api.answer(again, action="accept")
            assert text(await fetched(agent, waiting)).startswith("Paid")
        assert ran(tmp_path) == [("pay", PAY)]


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
@pytest.mark.parametrize("when", ["quiet", "once_listed"])
async def test_a_tool_that_has_changed_without_a_notice_asks_again(tmp_path: Path, when: str, era: Era) -> None:
    async with proposed(tmp_path, era) as (api, request, calling):
        await api.in_state(await api.call("bank", "renew", {when: True}), "done")
        await api.answer(request, action="accept")
        (again,) = await open_requests(api)
        assert (again["id"] != request["id"], again["reason_code"]) == (True, "tool_changed")
        assert "any account" in again["params"]["tool"]["description"]
        assert ran(tmp_path) == []
        await api.answer(again, action="accept", content={"arguments": PAY | {"amount": 7}})
        assert text(await calling).startswith("Paid")
    # Not what was approved first.
    assert ran(tmp_path) == [("pay", PAY | {"amount": 7})]


@pytest.mark.parametrize(
    ("rules", "waits"),
    [
        ([], False),
        ([{"tool": "pay", "then": "run"}, ASK], False),
        ([{"tool": "p*", "then": "ask"}], True),
        ([{"agent": "My agent", "then": "ask"}], True),
        ([{"agent": "Another", "then": "ask"}], False),
        ([{"server": "bank", "then": "ask"}], True),
        ([{"annotations": {"destructiveHint": True}, "then": "ask"}], True),
        ([{"annotations": {"readOnlyHint": True}, "then": "ask"}], False),
        ([{"arguments": {"properties": {"amount": {"minimum": 100}}}, "then": "ask"}], True),
        ([{"arguments": {"properties": {"amount": {"minimum": 1000}}}, "then": "ask"}], False),
        ([ASK | {"report_only": True}], False),
        ([ASK | {"until": "2020-01-01T00:00:00Z"}], False),
        ([{"tool": "pay", "then": "run"}, ASK | {"everyone": True}], True),
    ],
)
async def test_the_first_rule_that_fits_decides(bank_and_agent: Any, rules: list[Json], waits: bool) -> None:
    api, agent = bank_and_agent
    await put_rules(api, *rules)
    # Another account for each case: an equal call would take up the one that waits.
    result = await agent.call_tool("pay", PAY | {"to": str(rules)})
    assert (("mcp-webclient/call" in (result.meta or {})), text(result).startswith("Paid")) == (waits, not waits)


@pytest.mark.parametrize(
    ("rules", "waits"),
    [
        ([{"annotations": {"destructiveHint": True}, "then": "ask"}], True),
        ([{"annotations": {"readOnlyHint": True}, "then": "run"}, {"then": "ask"}], True),
        ([{"tool": "hidden", "then": "run"}, {"then": "ask"}], False),
    ],
)
async def test_a_tool_that_is_not_listed_is_not_taken_for_safe(
    bank_and_agent: Any, rules: list[Json], waits: bool
) -> None:
    api, agent = bank_and_agent
    await put_rules(api, *rules)
    result = await agent.call_tool("hidden", {"for": str(rules)})
    assert ("mcp-webclient/call" in (result.meta or {})) == waits


async def test_a_rule_refuses_in_words(bank_and_agent: tuple[Api, Client]) -> None:
    api, agent = bank_and_agent
    await put_rules(api, {"tool": "pay", "then": "refuse"})
    result = await agent.call_tool("pay", PAY)
    assert result.is_error
    assert not result.meta


@pytest.fixture(scope="module")
async def bank_and_agent(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Api, Client]]:
    async with (
        bank(tmp_path_factory.mktemp("bank")) as (running, api),
        connected(running.base, await token(api, patience=1), "bank") as agent,
    ):
        yield api, agent


@pytest.mark.parametrize(
    "rule",
    [
        {"then": "maybe"},
        {"tool": "pay"},
        {"then": "run", "arguments": {"maximun": 3}},
        {"then": "run", "arguments": {"properties": {"to": {"pattern": "^(?!x)"}}}},
        {"then": "run", "arguments": {"type": 7}},
        {"then": "run", "arguments": {"$ref": "https://elsewhere.example/schema"}},
        {"then": "run", "until": "soon"},
        {"then": "run", "unknown": 1},
    ],
)
async def test_a_rule_that_could_mean_more_than_it_says_is_refused(
    bank_and_agent: tuple[Api, Client], rule: Json
) -> None:
    api, _agent = bank_and_agent
    await put_rules(api, rule, status=422)
