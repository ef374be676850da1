"""Requests of servers that are passed on to the agent of the call, in both eras on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import (
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    Root,
    TextContent,
)
from pydantic import FileUrl

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries
from tests.program import Api
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = [Era.PUSH, Era.ROUNDS]
SERVERS = {Era.PUSH: "push", Era.ROUNDS: "rounds"}
Answer = Callable[[Any, ElicitRequestParams], Awaitable[ElicitResult | ErrorData]]


async def _accepts(_context: object, params: ElicitRequestParams) -> ElicitResult:
    assert params.message == "What is your name?"
    return ElicitResult(action="accept", content={"name": "Ann"})


@asynccontextmanager
async def _agent(
    folder: Path, server: str, era: Era, answer: Answer | None = _accepts, *, pass_on: bool = True, **more: Any
) -> AsyncIterator[tuple[Api, Client]]:
    """Connect an agent that answers what it is asked, which its user prefers or not."""
    async with house(folder, **{server: asker_entries()[server] | {"roots": []}}) as (running, api):
        secret = await token(api, pass_on=pass_on, **({"patience": 1} | more.pop("token", {})))
        async with connected(running.base, secret, server, era, elicitation_callback=answer, **more) as agent:
            yield api, agent


async def _newest(api: Api) -> Json:
    [newest, *_older] = (await api.json("GET", "/requests"))["requests"]
    found: Json = newest
    return found


@pytest.mark.parametrize("upstream", ERAS)
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_answers_a_form(tmp_path: Path, era: Era, upstream: Era) -> None:
    async with _agent(tmp_path, SERVERS[upstream], era) as (api, agent):
        result = await agent.call_tool("ask_form", {})
        assert result.structured_content == {"action": "accept", "content": {"name": "Ann"}}
        request = await _newest(api)
        assert (request["state"], request["via"]) == ("accepted", "agent")


@pytest.mark.parametrize("upstream", ERAS)
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_gives_rounds_messages_and_folders(tmp_path: Path, era: Era, upstream: Era) -> None:
    async def answer(_context: object, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": params.message})

    async def sampled(_context: object, _params: object) -> CreateMessageResult:
        text = TextContent(type="text", text="Hello.")
        return CreateMessageResult(role="assistant", content=text, model="of the agent", _meta={"own": 1})

    async def listed(_context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///agent"), name="Agent")])

    options: dict[str, Any] = {"sampling_callback": sampled, "list_roots_callback": listed}
    async with _agent(tmp_path, SERVERS[upstream], era, answer, **options) as (_api, agent):
        result = await agent.call_tool("ask_rounds", {"n": 3})
        names = [each["content"]["name"] for each in (result.structured_content or {})["answers"]]
        assert names == ["Round 1", "Round 2", "Round 3"]
        params = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 5}
        message = (await agent.call_tool("sample", {"params": params})).structured_content or {}
        assert (message["model"], message["content"]["text"]) == ("of the agent", "Hello.")
        folders = await agent.call_tool("ask_roots", {})
        assert (folders.structured_content or {})["roots"]["roots"] == [{"uri": "file:///agent", "name": "Agent"}]


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_stays_in_the_inbox_without_the_setting(tmp_path: Path, era: Era) -> None:
    async with _agent(tmp_path, "push", era, pass_on=False) as (api, agent), asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        assert "call" in str((await calling).content)
        await api.answer(request, action="decline")


NO_ANSWERS: dict[str, ElicitResult | ErrorData] = {
    "cancels": ElicitResult(action="cancel"),
    "fails": ErrorData(code=-32603, message="No window is open"),
    "gives nonsense": ElicitResult(action="accept", content={"name": 7}),
}
"""Answers of an agent, by the message of the question."""


async def _answers_nothing(_context: object, params: ElicitRequestParams) -> ElicitResult | ErrorData:
    return NO_ANSWERS[params.message]


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_without_an_answer_stays_in_the_inbox(tmp_path: Path, era: Era) -> None:
    async with _agent(tmp_path, "push", era, _answers_nothing, token={"patience": 60}) as (api, agent):
        for message in NO_ANSWERS:
            async with asyncio.TaskGroup() as tasks:
                calling = tasks.create_task(_called(agent, message))
                (request,) = await open_requests(api)
                await asyncio.sleep(0.5)
                assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending", message
                await api.answer(request, action="accept", content={"name": "Bea"})
            if message != "fails" or era is Era.PUSH:
                assert calling.result() == {"action": "accept", "content": {"name": "Bea"}}, message
            else:
                # The SDK's client ends a call of which it cannot answer a round; the person has answered all the same.
                assert calling.result() is None


async def _called(agent: Client, message: str) -> Json | None:
    try:
        result: Json | None = (await agent.call_tool("ask_form", {"message": message})).structured_content
    except MCPError:
        return None
    return result


async def test_the_person_answers_before_the_agent(tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def waits(_context: object, _params: object) -> ElicitResult:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    async with _agent(tmp_path, "rounds", Era.PUSH, waits) as (api, agent), asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        # Longer than its patience, which does not run while it is asked.
        await asyncio.sleep(1.5)
        assert not calling.done()
        await api.answer(request, action="accept", content={"name": "Bea"})
        assert (await calling).structured_content == {"action": "accept", "content": {"name": "Bea"}}
        async with asyncio.timeout(10):
            await ended.wait()
