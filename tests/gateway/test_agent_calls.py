"""An agent whose patience ends before the person answers: it gets the result later, and the person is asked once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from tests.gateway.agents import by_hand, connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries
from tests.program import Api, program
from webclient.domain.model import LOCAL_USER, Era, Json
from webclient.gateway.outcomes import MOST_WAITS
from webclient.store import Store

pytestmark = pytest.mark.anyio

ANN = {"action": "accept", "content": {"name": "Ann"}}


def call_id(result: CallToolResult) -> str:
    """Return the id of the call that waits."""
    assert isinstance(result.content[0], TextContent)
    assert "await_answer" in result.content[0].text
    return str((result.meta or {})["mcp-webclient/call"])


async def fetched(agent: Client, call: str) -> CallToolResult:
    """Fetch the result of a call until it is there, as a model would."""
    while "mcp-webclient/call" in ((result := await agent.call_tool("await_answer", {"call": call})).meta or {}):
        pass
    return result


async def calls(api: Api) -> list[Json]:
    """Return all calls."""
    found: list[Json] = (await api.json("GET", "/calls"))["calls"]
    return found


@pytest.mark.smoke
@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_impatient_agent_fetches_the_result_later(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=1), "push", era) as agent,
    ):
        assert "await_answer" in [tool.name for tool in (await agent.list_tools()).tools]
        waiting = await agent.call_tool("ask_form", {})
        again = await agent.call_tool("await_answer", {"call": call_id(waiting), "wait": 0})
        # A result that lacks what its tool declares is refused by many clients, unless it is an error.
        assert (waiting.is_error, again.is_error) == (True, False)
        assert call_id(again) == call_id(waiting)
        (request,) = await open_requests(api)
        assert "name" not in str(waiting.content).casefold()
        await api.answer(request, action="accept", content={"name": "Ann"})
        result = await fetched(agent, call_id(waiting))
        assert result.structured_content == ANN
        assert len(await calls(api)) == 1


async def test_an_agent_has_to_end_after_five_waits(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=1), "push") as agent,
    ):
        waiting = await agent.call_tool("ask_form", {})
        call = call_id(waiting)
        later = [await agent.call_tool("await_answer", {"call": call, "wait": 0}) for _ in range(MOST_WAITS - 1)]
        texts = [str(each.content) for each in (waiting, *later)]
        assert ["Stop waiting" in text for text in texts] == [False] * (MOST_WAITS - 1) + [True]
        assert call_id(later[-1]) == call
        (request,) = await open_requests(api)
        await api.answer(request, action="accept", content={"name": "Ann"})
        assert (await fetched(agent, call)).structured_content == ANN


async def test_equal_calls_join_while_a_person_is_asked(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=60), "push") as agent,
        asyncio.TaskGroup() as tasks,
    ):
        first = tasks.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        second = tasks.create_task(agent.call_tool("ask_form", {}))
        other = tasks.create_task(agent.call_tool("ask_form", {"message": "Another?"}))
        await open_requests(api, 2)
        for each in await open_requests(api, 2):
            await api.answer(each, action="accept", content={"name": "Ann" if each["id"] == request["id"] else "Bob"})
        assert (await first).structured_content == (await second).structured_content == ANN
        assert (await other).structured_content != ANN
        assert len(await calls(api)) == 2


async def test_a_call_after_the_result_is_another_one(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api), "push") as agent,
    ):
        for _time in range(2):
            await agent.call_tool("structured", {})
        assert len(await calls(api)) == 2


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_agent_that_went_away_takes_its_call_up_again(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        by_hand(running, await token(api, patience=60), "push", era) as agent,
    ):
        await agent.begin()
        calling = asyncio.create_task(agent.send("tools/call", {"name": "ask_form", "arguments": {}}))
        (request,) = await open_requests(api)
        calling.cancel()
        await asyncio.wait([calling])
        await api.answer(request, action="accept", content={"name": "Ann"})
        result = await agent.result("tools/call", {"name": "ask_form", "arguments": {}})
        assert result["structuredContent"] == ANN
        assert len(await calls(api)) == 1


async def test_patience_is_learned_from_an_agent_that_goes_away(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        by_hand(running, await token(api), "push", Era.ROUNDS) as agent,
    ):
        agent.http.timeout = 2.0  # Of the client, in seconds.
        arguments = {"name": "ask_form", "arguments": {}}
        with pytest.raises(httpx2.TimeoutException):
            await agent.send("tools/call", arguments)
        waiting = await agent.result("tools/call", arguments)
        assert "mcp-webclient/call" in waiting["_meta"]
        assert len(await calls(api)) == 1


async def test_learned_patience_is_saved_with_the_token(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        by_hand(running, await token(api, patience=60), "push", Era.ROUNDS) as agent,
    ):
        agent.http.timeout = 5.0  # Of the client, in seconds.
        with pytest.raises(httpx2.TimeoutException):
            await agent.send("tools/call", {"name": "ask_form", "arguments": {}})
        # Before the program ends, which says nothing about the agent.
        (request,) = await open_requests(api)
        await api.answer(request, action="decline")
    store = Store(tmp_path / "data")
    await store.open()
    (made,) = await store.of(LOCAL_USER).tokens.all()
    await store.close()
    assert made.learned_patience
    assert 0.8 <= made.learned_patience <= 5


async def test_the_call_of_another_agent_is_unknown(tmp_path: Path) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        async with connected(running.base, await token(api, patience=1), "push") as agent:
            waiting = call_id(await agent.call_tool("ask_form", {}))
        async with connected(running.base, await token(api, "Thief", patience=1), "push") as thief:
            for unknown in (waiting, "nothing"):
                refused = await thief.call_tool("await_answer", {"call": unknown})
                assert refused.is_error
                assert not refused.meta


async def test_an_agent_comes_back_after_a_restart(tmp_path: Path) -> None:
    servers = {"rounds": asker_entries("--state-key", "a key of this test, the same after the restart")["rounds"]}
    async with house(tmp_path, **servers) as (running, api):
        secret = await token(api, patience=1)
        async with connected(running.base, secret, "rounds", Era.ROUNDS) as agent:
            waiting = call_id(await agent.call_tool("ask_form", {}))
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        await api.server("rounds")
        async with connected(running.base, secret, "rounds", Era.ROUNDS) as agent:
            assert call_id(await agent.call_tool("ask_form", {})) == waiting
            (request,) = await open_requests(api)
            await api.answer(request, action="accept", content={"name": "Ann"})
            assert (await fetched(agent, waiting)).structured_content == ANN
        assert len(await calls(api)) == 1


async def test_a_result_that_no_agent_has_got_outlives_a_restart(tmp_path: Path) -> None:
    servers = {"push": asker_entries()["push"]}
    arguments = {"name": "ask_form", "arguments": {}}
    async with house(tmp_path, **servers) as (running, api):
        secret = await token(api, patience=1)
        async with by_hand(running, secret, "push", Era.ROUNDS) as agent:
            await agent.result("tools/call", arguments)
            (request,) = await open_requests(api)
            await api.answer(request, action="accept", content={"name": "Ann"})
            await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "done")
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        await api.server("push")
        async with by_hand(running, secret, "push", Era.ROUNDS) as agent:
            assert (await agent.result("tools/call", arguments))["structuredContent"] == ANN
        assert len(await calls(api)) == 1
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        await api.server("push")
        async with by_hand(running, secret, "push", Era.ROUNDS) as agent:
            assert "mcp-webclient/call" in (await agent.result("tools/call", arguments))["_meta"]
        assert len(await calls(api)) == 2


async def agent_token(api: Api, **body: Any) -> Json:
    """Return a new token for an agent."""
    made: Json = await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["gateway"]} | body)
    return made


async def test_a_revoked_agent_loses_its_calls_at_once(tmp_path: Path) -> None:
    servers = {"rounds": asker_entries("--state-key", "a key of this test, the same after the restart")["rounds"]}
    async with house(tmp_path, **servers) as (running, api):
        waits, gone, later = [await agent_token(api, patience=seconds) for seconds in (60, 1, 1)]
        async with (
            by_hand(running, waits["secret"], "rounds") as waiting,
            connected(running.base, gone["secret"], "rounds") as agent,
            connected(running.base, later["secret"], "rounds") as other,
        ):
            await waiting.begin()
            calling = asyncio.create_task(waiting.send("tools/call", {"name": "ask_form", "arguments": {}}))
            await agent.call_tool("ask_form", {})
            await other.call_tool("ask_form", {})
            await open_requests(api, 3)
            for token_id in (waits["id"], gone["id"]):
                assert (await api.delete(f"/tokens/{token_id}")).status_code == 204
            await calling
        await _revoked(api, waits["id"], gone["id"])
        (request,) = await open_requests(api)
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        # Its agent has not come back since the restart.
        assert [each["id"] for each in await open_requests(api)] == [request["id"]]
        await api.delete(f"/tokens/{later['id']}")
        await _revoked(api, waits["id"], gone["id"], later["id"])


async def _revoked(api: Api, *token_ids: str) -> None:
    """Wait until the calls of these agents are cancelled, with their questions."""
    for call in await calls(api):
        if call["via"]["token_id"] in token_ids:
            ended = await api.in_state(call, "cancelled", "failed", "completed")
            assert (ended["state"], ended["error"]["reason_code"]) == ("cancelled", "agent_revoked")
    for request in (await api.json("GET", "/requests"))["requests"]:
        if request["state"] != "pending":
            assert request["reason_code"] == "agent_revoked"


async def test_the_page_of_a_call_shows_that_its_agent_has_gone(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=1), "push") as agent,
    ):
        waiting = call_id(await agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        await _shows(api, f"{running.base}/calls/{waiting}", "The agent waits for the result.")
        await _shows(api, f"{running.base}/calls/{waiting}", "The agent went away")
        await agent.call_tool("await_answer", {"call": waiting, "wait": 0})
        for page in (f"calls/{waiting}", f"requests/{request['id']}"):
            await _shows(api, f"{running.base}/{page}", "It has come back for the result 1 time.")


async def _shows(api: Api, address: str, words: str) -> None:
    async with asyncio.timeout(60), api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while words not in (await api.get(address)).text:
            await anext(lines)
