"""Log messages of a server reach the agent of their call, from the level that it wants, and no other agent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from tests.gateway.agents import ByHand, by_hand, messages_in, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries, entry, running
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)
LEVEL = "io.modelcontextprotocol/logLevel"


def _logged(response: httpx2.Response) -> list[object]:
    """Return the data of the log messages before the result."""
    *notices, result = messages_in(response)
    assert "result" in result, result
    return [each["params"]["data"] for each in notices if each["method"] == "notifications/message"]


async def _log(agent: ByHand, name: str = "log", **meta: str) -> list[object]:
    params: Json = {"name": name, "arguments": {"text": "Hello"}} | ({"_meta": meta} if meta else {})
    return _logged(await agent.send("tools/call", params))


@pytest.mark.parametrize("server", ["push", "rounds"])
@pytest.mark.parametrize("era", ERAS)
async def test_log_messages_reach_the_agent_of_the_call(tmp_path: Path, server: str, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (program, api),
        by_hand(program, await token(api), server, era) as agent,
    ):
        await agent.begin()
        if era is Era.ROUNDS:
            assert await _log(agent) == []
            assert await _log(agent, **{LEVEL: "debug"}) == ["Hello", {"what": "Hello"}]
            assert await _log(agent, **{LEVEL: "warning"}) == [{"what": "Hello"}]
            refused = await agent.answer("tools/call", {"name": "log", "_meta": {LEVEL: "loud"}})
            assert refused["error"]["code"] == -32602
            return
        assert await _log(agent) == ["Hello", {"what": "Hello"}]
        if server == "push":
            assert (await agent.answer("logging/setLevel", {"level": "debug"}))["error"]["code"] == -32601
        async with by_hand(program, await token(api), "", era) as joint:
            await joint.begin()
            await joint.result("logging/setLevel", {"level": "warning"})
            assert await _log(joint, f"{server}_log") == [{"what": "Hello"}]
            assert (await joint.answer("logging/setLevel", {"level": "loud"}))["error"]["code"] == -32602


@pytest.mark.parametrize("era", ERAS)
async def test_messages_of_a_call_pass_with_every_key(tmp_path: Path, era: Era) -> None:
    log = {"level": "info", "data": {"a": None}, "x-own": [None], "_meta": {"x-meta": None}}
    messages = [
        {"method": "notifications/message", "params": {"level": "debug", "data": 1}},
        {"method": "notifications/message", "params": log},
        {"method": "notifications/vendor/step", "params": {"x": None}},
        {"method": "notifications/cancelled", "params": {"requestId": 99}},
    ]
    async with (
        house(tmp_path, echoing=entry("echoing")) as (program, api),
        by_hand(program, await token(api), "echoing", era) as agent,
    ):
        await agent.begin()
        if era is Era.PUSH:
            await agent.result("logging/setLevel", {"level": "info"})
        params = {"name": "notify", "arguments": {"messages": messages}, "_meta": {LEVEL: "info"}}
        *notices, _result = messages_in(await agent.send("tools/call", params))
        assert [(each["method"], each["params"]) for each in notices] == [
            ("notifications/message", log),
            ("notifications/vendor/step", {"x": None}),
        ]


@pytest.mark.parametrize("over_http", [True, False])
async def test_no_agent_gets_the_messages_of_another(tmp_path: Path, over_http: bool) -> None:
    """Over stdio no message says to which of two calls it belongs, so neither agent gets it."""
    async with running(era=Era.PUSH) as http:
        given = {"type": "http", "url": http.address} if over_http else asker_entries()["push"]
        async with (
            house(tmp_path, it=given) as (program, api),
            by_hand(program, await token(api), "it") as waiting,
            by_hand(program, await token(api, "Other"), "it") as agent,
            asyncio.TaskGroup() as tasks,
        ):
            await waiting.begin()
            await agent.begin()
            calling = tasks.create_task(waiting.send("tools/call", {"name": "ask_form", "arguments": {}}))
            (request,) = await open_requests(api)
            assert await _log(agent) == (["Hello", {"what": "Hello"}] if over_http else [])
            await api.answer(request, action="decline")
            assert _logged(await calling) == []
