"""Tasks of 2025-11-25 go on over a restart of this program, a lost connection and a restart of their server."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.line import BEAT, delivered
from tests.mcp_servers.proxy import proxied
from tests.program import program
from tests.push_tasks import servers
from tests.push_tasks.servers import Listening
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    InputRequest,
    Json,
    ReasonCode,
    RequestState,
    SavedSession,
    ServerState,
    TaskStatus,
)

pytestmark = pytest.mark.anyio

Start = Callable[..., AbstractAsyncContextManager[Listening]]

ASKING: list[tuple[Start, str, Json, Json]] = [
    (
        servers.everything,
        "simulate-research-query",
        {"topic": "tea", "ambiguous": True},
        {"interpretation": "technical"},
    ),
    (servers.interactive, "confirm_delete", {"filename": "tea.txt"}, {"confirm": True}),
    (servers.on_mcp_1, "greet", {}, {"name": "Ada"}),
]
"""Servers that wait for the answer in the session in which they asked, a tool of each, its arguments and an answer."""


def rooms_with(folder: Path, server: Listening) -> AbstractAsyncContextManager[House]:
    return house(folder, [config("it", server.transport, Era.PUSH)])


async def now(rooms: House, call: Call) -> Call:
    return await rooms.services.store.of(LOCAL_USER).calls.get(call.id)


async def waiting(rooms: House, tool: str, arguments: Json) -> tuple[Call, InputRequest]:
    """Start a task that asks, and return both once the call waits."""
    await rooms.connected("it")
    call = await rooms.call("it", tool, arguments)
    [request] = await rooms.pending_requests(call)

    async def look() -> bool:
        return (await now(rooms, call)).state is CallState.INPUT_REQUIRED

    await rooms.until(look)
    return call, request


@pytest.mark.parametrize(("start", "tool", "arguments", "content"), ASKING, ids=[each[1] for each in ASKING])
async def test_a_question_of_a_task_survives_a_restart(
    tmp_path: Path, start: Start, tool: str, arguments: Json, content: Json
) -> None:
    """R15: the session is resumed, and the answer goes out under the id of the old question."""
    async with start() as server:
        async with rooms_with(tmp_path, server) as rooms:
            call, request = await waiting(rooms, tool, arguments)
        async with rooms_with(tmp_path, server) as rooms:
            [again] = await rooms.pending_requests(call)
            assert again.id == request.id
            await rooms.answer(request, Action.ACCEPT, content)
            done = await rooms.ended(call)
            assert done.state is CallState.DONE, done.error
            assert done.task
            assert done.task.status is TaskStatus.COMPLETED
    assert await saved_session(tmp_path, call) is None


async def saved_session(folder: Path, call: Call) -> SavedSession | None:
    """Return what is stored of the session of the call's server, while no core runs."""
    async with house(folder) as rooms:
        return await rooms.services.store.of(LOCAL_USER).saved_sessions.get(call.server_id)


@pytest.mark.parametrize(("start", "tool", "arguments", "content"), ASKING, ids=[each[1] for each in ASKING])
async def test_a_question_of_a_task_survives_a_lost_connection(
    tmp_path: Path, start: Start, tool: str, arguments: Json, content: Json
) -> None:
    """R15: the person answers while the server cannot be reached; the next connection sends the answer."""
    async with start() as server, proxied(server.transport["url"]) as (line, address):
        configured = config("it", {"type": "http", "url": address}, Era.PUSH)
        async with house(tmp_path, [configured], beat_seconds=BEAT) as rooms:
            call, request = await waiting(rooms, tool, arguments)
            await line.refuse()
            line.cut()
            await rooms.status("it", ServerState.RECONNECTING)
            await rooms.answer(request, Action.ACCEPT, content)
            await line.accept()
            done = await rooms.ended(call)
            assert done.state is CallState.DONE, done.error
            await delivered(rooms, request, Delivery.DELIVERED)


async def test_the_next_question_survives_a_lost_connection(tmp_path: Path) -> None:
    """R15: the server would send it on the stream of the lost connection."""
    async with servers.on_mcp_1() as server, proxied(server.transport["url"]) as (line, address):
        configured = config("it", {"type": "http", "url": address}, Era.PUSH)
        async with house(tmp_path, [configured], beat_seconds=BEAT) as rooms:
            call, request = await waiting(rooms, "twice", {})
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
            await rooms.until(lambda: _says(rooms, call, "Brewing tea"))
            await line.refuse()
            line.cut()
            await rooms.status("it", ServerState.RECONNECTING)
            await line.accept()
            await rooms.connected("it")
            await rooms.ended(await rooms.call("it", "go_on"))
            [following] = await rooms.pending_requests(call)
            await rooms.answer(following, Action.ACCEPT, {"name": "Bob"})
            assert "Ada and Bob" in str((await rooms.ended(call)).result)


async def _says(rooms: House, call: Call, message: str) -> bool:
    task = (await now(rooms, call)).task
    return task is not None and task.status_message == message


async def test_a_task_survives_two_crashes_and_asks_once(tmp_path: Path) -> None:
    """R15: `kill -9` of our program while the task asks, and while it works on; its requests keep their ids."""
    async with servers.on_mcp_1() as server:
        configured = {"it": {"type": "http", "url": server.transport["url"]}}
        async with program(tmp_path, servers=configured) as served, served.client() as api:
            call = await api.call("it", "twice")
            [first] = await api.pending_requests(call)
            os.kill(served.pid, signal.SIGKILL)
        async with program(tmp_path, servers=configured) as served, served.client() as api:
            [again] = await api.pending_requests(call)
            assert again["id"] == first["id"]
            await api.answer(again, action="accept", content={"name": "Ada"})
            while call.get("task", {}).get("status_message") != "Brewing tea":
                call = await api.json("GET", f"/calls/{call['id']}", params={"wait": 0.1})
            os.kill(served.pid, signal.SIGKILL)
        async with program(tmp_path, servers=configured) as served, served.client() as api:
            await api.in_state(await api.call("it", "go_on"), "done")
            [second] = await api.pending_requests(call)
            await api.answer(second, action="accept", content={"name": "Bob"})
            assert "Ada and Bob" in str((await api.in_state(call, "done"))["result"])
            everything = await api.json("GET", "/requests", params={"call_id": call["id"]})
            assert {each["id"] for each in everything["requests"]} == {first["id"], second["id"]}


FORGETFUL = [*ASKING, (servers.on_fastmcp_3, "greet", {}, {"value": "Ada"})]
"""The servers above, and FastMCP 3: none of them saves its tasks."""


@pytest.mark.parametrize(("start", "tool", "arguments", "_content"), FORGETFUL, ids=[each[1] for each in FORGETFUL])
async def test_a_task_that_a_restarted_server_forgot_fails(
    tmp_path: Path, start: Start, tool: str, arguments: Json, _content: Json
) -> None:
    """R15: -32602, or an error of its own, for an unknown task (MCP 2025-11-25, Tasks, Error Handling)."""
    async with start() as server, rooms_with(tmp_path, server) as rooms:
        call, request = await waiting(rooms, tool, arguments)
        server.kill()
        async with start(server.port):
            ended = await rooms.ended(call)
            assert ended.state is CallState.FAILED
            assert ended.reason_code is ReasonCode.TASK_UNKNOWN
            # The session and the task are gone; the order in which that is learned varies.
            assert (await rooms.settled(request)).state in (RequestState.INTERRUPTED, RequestState.WITHDRAWN)
