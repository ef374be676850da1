"""Links that servers ask for are passed on to agents that can open them, in both eras on both sides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client import IncomingMessage
from mcp.types import ElicitCompleteNotification, ElicitRequestURLParams, ElicitResult

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries, entry
from tests.program import Api
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = [Era.PUSH, Era.ROUNDS]
SERVERS = {Era.PUSH: "push", Era.ROUNDS: "rounds"}
URL = "https://example.com/sign-in?x=1"

Answer = Callable[[Any, Any], Awaitable[ElicitResult]]


@asynccontextmanager
async def _agent(folder: Path, upstream: Era, era: Era, answer: Answer) -> AsyncIterator[tuple[Api, Client]]:
    server = SERVERS[upstream]
    async with house(folder, **{server: asker_entries()[server]}) as (running, api):
        secret = await token(api, pass_on=True, patience=60)
        async with connected(running.base, secret, server, era, elicitation_callback=answer) as agent:
            yield api, agent


@pytest.mark.parametrize("upstream", ERAS)
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_answers_a_link(tmp_path: Path, era: Era, upstream: Era) -> None:
    seen: list[object] = []
    actions: list[Any] = ["accept", "decline"]

    async def opens(_context: object, params: object) -> ElicitResult:
        seen.append(params)
        return ElicitResult(action=actions[len(seen) - 1])

    async with _agent(tmp_path, upstream, era, opens) as (api, agent):
        for action in actions:
            async with asyncio.timeout(30):
                result = await agent.call_tool("ask_url", {"url": URL})
            assert result.structured_content == {"action": action}
        for params in seen:
            assert isinstance(params, ElicitRequestURLParams)
            assert (params.url, params.message) == (URL, "Please sign in.")
        requests = (await api.json("GET", "/requests"))["requests"]
        assert [each["via"] for each in requests] == ["agent"] * len(actions) == ["agent"] * len(seen)


@pytest.mark.parametrize("era", ERAS)
async def test_a_link_that_an_agent_cancels_stays_in_the_inbox(tmp_path: Path, era: Era) -> None:
    async def cancels(_context: object, _params: object) -> ElicitResult:
        return ElicitResult(action="cancel")

    async with _agent(tmp_path, Era.PUSH, era, cancels) as (api, agent), asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(agent.call_tool("ask_url", {"url": URL}))
        (request,) = await open_requests(api)
        await asyncio.sleep(0.5)
        assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
        await api.answer(request, action="accept")
        assert (await calling).structured_content == {"action": "accept"}


def _asks(elicitation_id: str, action: str) -> Json:
    params = {"mode": "url", "url": URL, "message": "Please sign in.", "elicitationId": elicitation_id}
    return {"method": "elicitation/create", "params": params, "answer": {"action": action}}


def _completes(elicitation_id: str) -> Json:
    return {"method": "notifications/elicitation/complete", "params": {"elicitationId": elicitation_id}}


_MESSAGES = {
    "whole": [_completes("e1"), _asks("e1", "accept"), _completes("e9"), _completes("e1"), _completes("e1")],
    "opened": [_asks("e2", "accept")],
    "later": [_completes("e2"), _completes("e2")],
    "declined": [_asks("e3", "decline"), _completes("e3")],
}
"""The messages of each tool: it asks for links, and says that some are completed."""


def _script(folder: Path) -> Json:
    """Return the entry of a server of 2025-11-25 with these tools."""
    hello = {"protocolVersion": Era.PUSH, "capabilities": {"tools": {}}, "serverInfo": {"name": "it", "version": "1"}}
    calls = [
        {"method": "tools/call", "params": {"name": name, "arguments": {}}, "messages": messages}
        | {"result": {"content": []}}
        for name, messages in _MESSAGES.items()
    ]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in _MESSAGES]
    lists = {"method": "tools/list", "params": {}, "result": {"tools": tools}}
    exchanges = [{"method": "initialize", "params": {}, "result": hello}, lists, *calls]
    path = folder / "script.json"
    path.write_text(json.dumps({"exchanges": exchanges}), "utf-8")
    return entry("recorded", str(path), era=Era.PUSH)


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_hears_that_its_link_is_completed(tmp_path: Path, era: Era) -> None:
    """Once, also after its call; not of one that it has declined, and not in 2026-07-28, which does not have that."""
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def took(message: IncomingMessage) -> None:
        if isinstance(message, ElicitCompleteNotification):
            heard.put_nowait(message.params.elicitation_id)

    async def answers(_context: object, params: Any) -> ElicitResult:
        return ElicitResult(action="decline" if params.elicitation_id == "e3" else "accept")

    async with house(tmp_path, it=_script(tmp_path)) as (running, api):
        secret = await token(api, pass_on=True, patience=60)
        options: Any = {"elicitation_callback": answers, "message_handler": took}
        async with connected(running.base, secret, "it", era, **options) as agent, asyncio.timeout(60):
            for name in ("whole", "opened", "later"):
                assert not (await agent.call_tool(name, {})).is_error
            if era is Era.PUSH:
                assert [await heard.get(), await heard.get()] == ["e1", "e2"]
                await agent.call_tool("declined", {})
                await agent.session.send_ping()
            assert heard.empty()


async def test_no_other_agent_hears_that_a_link_is_completed(tmp_path: Path) -> None:
    heard: list[str] = []

    async def took(message: IncomingMessage) -> None:
        if isinstance(message, ElicitCompleteNotification):
            heard.append(message.params.elicitation_id)

    async def opens(_context: object, _params: object) -> ElicitResult:
        return ElicitResult(action="accept")

    async with house(tmp_path, it=_script(tmp_path)) as (running, api):
        asks, waits = await token(api, pass_on=True), await token(api, "Other", pass_on=True)
        options: Any = {"elicitation_callback": opens}
        async with (
            connected(running.base, waits, "it", message_handler=took, **options) as other,
            connected(running.base, asks, "it", **options) as agent,
        ):
            await agent.call_tool("opened", {})
            await other.call_tool("later", {})
            await other.session.send_ping()
            assert heard == []
