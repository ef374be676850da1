"""A server comes back with another protocol version and other tools, while an agent's session stays open."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from mcp import MCPError

from tests.gateway.agents import Listener, listening, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import entry
from tests.program import PATIENCE, Api
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)
FORM: Json = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}},
}
ANSWER: Json = {"action": "accept", "content": {}}


def _call(name: str, **given: object) -> Json:
    return {"method": "tools/call", "params": {"name": name, "arguments": {}}} | given


def _result(text: str, era: Era) -> Json:
    shared = {"resultType": "complete"} if era is Era.ROUNDS else {}
    return {"content": [{"type": "text", "text": text}], **shared}


def _asking(era: Era) -> list[Json]:
    """Return the exchanges of a tool that asks, in the way of the era."""
    if era is Era.PUSH:
        return [_call("ask", messages=[FORM | {"answer": ANSWER}], result=_result("answered", era))]
    required = {"resultType": "input_required", "inputRequests": {"it": FORM}, "requestState": "here"}
    params = {"name": "ask", "arguments": {}, "inputResponses": {"it": ANSWER}, "requestState": "here"}
    return [
        _call("ask", result=required),
        {"method": "tools/call", "params": params, "result": _result("answered", era)},
    ]


def _write(path: Path, era: Era, tool: str) -> None:
    """Write a script in which a server of this era has this tool, *ask*, and *leave*, which ends the server."""
    lasting = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if era is Era.ROUNDS else {}
    info = {"name": "it", "version": "1"}
    shared = {"capabilities": {"tools": {"listChanged": True}}, "serverInfo": info, **lasting}
    hello = {"method": "initialize", "result": shared | {"protocolVersion": era}}
    if era is Era.ROUNDS:
        hello = {"method": "server/discover", "result": shared | {"supportedVersions": [era]}}
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("ask", "leave", tool)]
    listed = {"method": "tools/list", "params": {}, "result": {"tools": tools, **lasting}}
    calls = [*_asking(era), _call("leave"), _call(tool, result=_result(f"by {tool}", era))]
    path.write_text(json.dumps({"exchanges": [hello, listed, *calls]}), "utf-8")


async def _tools(agent: Listener) -> set[str]:
    try:
        return {each.name for each in (await agent.client.list_tools()).tools}
    except MCPError:
        # The server is starting.
        return set()


async def _until_it_works(agent: Listener, tool: str) -> None:
    """Wait until the agent hears that the tools have changed, and has the new one."""
    async with asyncio.timeout(PATIENCE):
        while tool not in await _tools(agent):
            await agent.until("tools")
    result = await agent.client.call_tool(tool, {})
    assert result.content[0].text == f"by {tool}"  # type: ignore[union-attr]


@pytest.mark.parametrize("first", ERAS)
@pytest.mark.parametrize("era", ERAS)
async def test_a_server_comes_back_in_the_other_era(tmp_path: Path, era: Era, first: Era) -> None:
    script, log = tmp_path / "script.json", tmp_path / "calls.log"
    second = Era.ROUNDS if first is Era.PUSH else Era.PUSH
    _write(script, first, "old")
    async with house(tmp_path, it=entry("recorded", str(script), str(log))) as (running, api):
        server_id = await api.server("it")
        secret = await token(api, patience=60)
        async with listening(running.base, secret, "it", era) as agent, asyncio.TaskGroup() as tasks:
            await _until_it_works(agent, "old")
            asking = tasks.create_task(agent.client.call_tool("ask", {}))
            (request,) = await open_requests(api)
            for version, tool in ((second, "new"), (first, "old")):
                _write(script, version, tool)
                tasks.create_task(agent.client.call_tool("leave", {}))
                await _until_it_works(agent, tool)
                known = await api.json("GET", f"/servers/{server_id}")
                assert known["protocol_version"] == version
                if tool == "new":
                    await _answer(api, request)
                    result = await asking
                    assert result.is_error, result
                    assert result.content[0].text  # type: ignore[union-attr]
            assert len((await api.json("GET", "/requests"))["requests"]) == 1
            assert log.read_text("utf-8").split().count("ask") == 1


async def _answer(api: Api, request: Json) -> None:
    """Answer a question that is still open; one of 2025-11-25 has ended with its session."""
    found = await api.json("GET", f"/requests/{request['id']}")
    if found["state"] == "pending":
        await api.answer(request, **ANSWER)
    else:
        assert (found["state"], found["reason_code"]) == ("interrupted", "connection_lost")
