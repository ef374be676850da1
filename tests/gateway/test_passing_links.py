"""Links that servers ask for are passed on to agents that can open them, in both eras on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitRequestURLParams, ElicitResult

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries
from tests.program import Api
from webclient.domain.model import Era

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
@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_an_agent_answers_a_link(tmp_path: Path, era: Era, upstream: Era, action: Any) -> None:
    seen: list[object] = []

    async def opens(_context: object, params: object) -> ElicitResult:
        seen.append(params)
        return ElicitResult(action=action)

    async with _agent(tmp_path, upstream, era, opens) as (api, agent):
        async with asyncio.timeout(30):
            result = await agent.call_tool("ask_url", {"url": URL})
        assert result.structured_content == {"action": action}
        [params] = seen
        assert isinstance(params, ElicitRequestURLParams)
        assert (params.url, params.message) == (URL, "Please sign in.")
        [request] = (await api.json("GET", "/requests"))["requests"]
        assert request["via"] == "agent"


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
