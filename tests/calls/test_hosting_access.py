"""Servers cancel and list the tasks of their own questions, and do not reach those of other servers.

MCP 2025-11-25, Tasks; the rules are numbered as in docs/tasks.md. The servers are played by the test.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.calls.puppets import Server, ask, elicitation, value_of
from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import LOCAL_USER, Action, ReasonCode, RequestState
from webclient.inbox.hosted_answers import HostedAnswers
from webclient.protocol import RequestRefusedError

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602
UNAVAILABLE = -32000


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [config("puppet", stdio("puppet")), config("other", stdio("puppet"))]
    async with house(tmp_path_factory.mktemp("hosting"), servers) as running:
        for each in servers:
            await running.connected(each.name)
        yield running


@pytest.fixture
def server(rooms: House) -> Server:
    return Server(rooms)


@pytest.mark.parametrize("method", ["get", "result", "cancel"])
@pytest.mark.parametrize("task_id", ["unknown", None, 7, {"a": 1}, ""])
async def test_an_unknown_task_is_an_invalid_parameter(server: Server, method: str, task_id: object) -> None:
    """H8 (Tasks, Protocol Errors): -32602 for an invalid or nonexistent taskId (MUST)."""
    [reply] = await server.send(ask(method, task_id))
    assert reply["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("cursor", ["", "x", "W10=", 7, "WzFlOTk5LCJhIl0="])
async def test_a_wrong_cursor_is_an_invalid_parameter(server: Server, cursor: object) -> None:
    """H8 (Tasks, Protocol Errors): -32602 for an invalid cursor (MUST)."""
    [reply] = await server.send({"method": "tasks/list", "params": {"cursor": cursor}})
    assert reply["error"]["code"] == INVALID_PARAMS


async def test_a_cancelled_task_stays_cancelled(server: Server, rooms: House) -> None:
    """H9 (Tasks, Task Cancellation): `cancelled` before the reply, and for good (MUST); then terminal (H5, H8)."""
    task, request = await server.host()
    [cancelled] = await server.send(ask("cancel", task["taskId"]))
    assert cancelled["result"]["status"] == "cancelled"
    withdrawn = await rooms.settled(request)
    assert (withdrawn.state, withdrawn.reason_code) == (RequestState.WITHDRAWN, ReasonCode.WITHDRAWN)
    with pytest.raises(AlreadySettledError):
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    got, again, result = await server.send(*(ask(each, task["taskId"]) for each in ("get", "cancel", "result")))
    assert got["result"]["status"] == "cancelled"
    assert got["result"]["lastUpdatedAt"] > got["result"]["createdAt"]
    assert again["error"]["code"] == INVALID_PARAMS
    assert result["error"]["code"] == UNAVAILABLE


async def test_an_answered_task_cannot_be_cancelled(server: Server, rooms: House) -> None:
    """H8 (Tasks, Task Cancellation): -32602 for a task in a terminal status (MUST); the answer stays."""
    task, request = await server.host()
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    [reply, result] = await server.send(ask("cancel", task["taskId"]), ask("result", task["taskId"]))
    assert reply["error"]["code"] == INVALID_PARAMS
    assert result["result"]["action"] == "accept"


async def test_of_an_answer_and_a_cancellation_one_wins(server: Server, rooms: House) -> None:
    """H9 (Tasks, Task Cancellation), at the same time as the person answers: both sides see the same end."""
    task, request = await server.host()
    cancelling = asyncio.create_task(server.send(ask("cancel", task["taskId"])))
    with suppress(AlreadySettledError):
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    [cancelled] = await cancelling
    settled = await rooms.settled(request)
    [got] = await server.send(ask("get", task["taskId"]))
    ends = {RequestState.ACCEPTED: ("completed", "error"), RequestState.WITHDRAWN: ("cancelled", "result")}
    assert (got["result"]["status"], set(cancelled) & {"error", "result"}) == (
        ends[settled.state][0],
        {ends[settled.state][1]},
    )


async def test_waiting_for_a_result_ends_with_a_cancelled_task(server: Server, rooms: House) -> None:
    task, _request = await server.host()
    waiting = await server.waiting(ask("result", task["taskId"]))
    await server.send(ask("cancel", task["taskId"]))
    [reply] = value_of(await rooms.ended(waiting))
    assert reply["error"]["code"] == UNAVAILABLE


async def test_withdrawing_tasks_result_leaves_the_task(server: Server, rooms: House) -> None:
    """H14 (Tasks, Task Cancellation): `notifications/cancelled` is not for tasks; it ends the wait alone."""
    task, request = await server.host()
    [waiting] = await server.tool("send_only", {"messages": [ask("result", task["taskId"])]})
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": waiting}}
    [got] = await server.send(cancelled, ask("get", task["taskId"]))
    assert got["result"]["status"] == "working"
    await rooms.answer(request, Action.CANCEL)


async def test_all_tasks_are_listed_page_by_page(rooms: House) -> None:
    """H10 (Tasks, Task Listing): every task that get finds, list finds (SHOULD); cursors are opaque."""
    other = Server(rooms, "other")
    replies = await other.send(*(elicitation(task={}) for _each in range(53)))
    created = [each["result"]["task"]["taskId"] for each in replies]
    [first] = await other.send({"method": "tasks/list"})
    page = {"method": "tasks/list", "params": {"cursor": first["result"]["nextCursor"]}}
    [second] = await other.send(page)
    listed = [*first["result"]["tasks"], *second["result"]["tasks"]]
    assert sorted(each["taskId"] for each in listed) == sorted(created)
    assert "nextCursor" not in second["result"]
    [got] = await other.send(ask("get", created[0]))
    assert got["result"] == next(each for each in listed if each["taskId"] == created[0])
    await rooms.services.inbox.decline_all(LOCAL_USER, (await rooms.server("other")).id)


async def test_a_server_reaches_only_its_own_tasks(server: Server, rooms: House) -> None:
    """H11 (Tasks, Task Isolation and Access Control): get, result, cancel and list by requestor (MUST)."""
    task, request = await server.host()
    other = Server(rooms, "other")
    for reply in await other.send(*(ask(each, task["taskId"]) for each in ("get", "result", "cancel"))):
        assert reply["error"]["code"] == INVALID_PARAMS
    [reply] = await other.send({"method": "tasks/list"})
    assert task["taskId"] not in {each["taskId"] for each in reply["result"]["tasks"]}
    await rooms.answer(request, Action.CANCEL)


async def test_a_server_at_another_address_is_another_requestor(server: Server, rooms: House) -> None:
    """H11 (Tasks, Task Isolation and Access Control): the user's entry is the same, the server is not (MUST)."""
    task, request = await server.host()
    answers = HostedAnswers(rooms.services.store, rooms.services.inbox)
    moved = replace(await rooms.server("puppet"), transport={"type": "http", "url": "http://127.0.0.1:1/mcp"})
    with pytest.raises(RequestRefusedError):
        await answers.answer(moved, "tasks/get", {"taskId": task["taskId"]})
    assert await answers.answer(moved, "tasks/list", {}) == {"tasks": []}
    await rooms.answer(request, Action.CANCEL)
