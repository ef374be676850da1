"""The rules of MCP 2025-11-25, Tasks, for a client that asks for tasks, on the wire of a server that a test writes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.house import House
from tests.protocol.scripted import DONE, Stream
from tests.push_tasks.raw import RELATED, TaskServer, connected, elicitation, task
from webclient import protocol
from webclient.calls import push_task
from webclient.domain.errors import ConflictError
from webclient.domain.model import LOCAL_USER, Action, Call, CallState, Json, Origin, ReasonCode, TaskStatus
from webclient.protocol.messages import checked_result

pytestmark = pytest.mark.anyio

NAME = {"name": "Ada"}
UNKNOWN: Json = {"error": {"code": -32602, "message": "Unknown task"}}


async def now(rooms: House, call: Call) -> Call:
    return await rooms.services.store.of(LOCAL_USER).calls.get(call.id)


async def following(rooms: House, call: Call) -> Call:
    """Wait until the handle of the call's task is stored."""

    async def look() -> Call | None:
        newest = await now(rooms, call)
        return newest if newest.task else None

    return await rooms.until(look)


async def test_a_server_without_the_capability_gets_no_task(tmp_path: Path) -> None:
    """R1: clients MUST NOT ask for a task if the server has not declared it, even if the tool requires one."""
    server = TaskServer("required", {"tools": {}})
    server.put("tools/call", {"content": []})
    async with connected(tmp_path, server) as rooms:
        assert (await rooms.ended(await rooms.call("it", "work"))).state is CallState.DONE
    assert all("task" not in message["params"] for message in server.sent("tools/call"))


@pytest.mark.parametrize(
    ("support", "as_task", "wanted"),
    [("required", False, True), ("optional", False, False), ("optional", True, True), (None, False, False)],
)
async def test_a_task_is_requested_as_the_tool_allows(
    tmp_path: Path, support: str | None, as_task: bool, wanted: bool
) -> None:
    """R2: MUST for `required`, MAY for `optional`, MUST NOT for anything else; a generous time to live."""
    server = TaskServer(support)
    server.put("tasks/get", task("completed"))
    if not wanted:
        server.put("tools/call", {"content": []})
    async with connected(tmp_path, server) as rooms:
        assert (await rooms.ended(await rooms.call("it", "work", as_task=as_task))).state is CallState.DONE
        if support is None:
            with pytest.raises(ConflictError):
                await rooms.call("it", "work", as_task=True)
    [sent] = server.sent("tools/call")
    assert sent["params"].get("task") == ({"ttl": 86_400_000} if wanted else None)


async def test_polls_keep_to_the_interval_until_a_notice_comes(tmp_path: Path) -> None:
    """R3: SHOULD respect `pollInterval`. R6: notices may come before the task is known, twice, or malformed."""
    server = TaskServer()
    slow = task(pollInterval=600_000)
    server.put("tools/call", {"task": task()})
    server.put("tasks/get", slow, task("completed"))

    async def notify(params: Json) -> None:
        await server.push({"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": params})

    async with connected(tmp_path, server) as rooms:
        await notify(task("completed"))
        await notify({"taskId": ["t1"], "status": 7})
        call = await rooms.call("it", "work")
        await server.until("tasks/get")

        async def look() -> bool:
            newest = (await now(rooms, call)).task
            return newest is not None and newest.poll_interval == 600_000

        await rooms.until(look)
        await notify(task("completed"))
        await notify(task("completed"))
        assert (await rooms.ended(call)).state is CallState.DONE
    assert len(server.sent("tasks/get")) == 2


async def test_a_poll_without_an_answer_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3: polling goes on; the server has forgotten one poll, and the call does not wait for it for ever."""
    monkeypatch.setattr(checked_result, "PATIENCE", 0.1)
    server = TaskServer()

    async def never(_stream: Stream) -> None:
        await asyncio.Event().wait()

    server.put("tasks/get", never, task("completed"))
    async with connected(tmp_path, server) as rooms:
        assert (await rooms.ended(await rooms.call("it", "work"))).state is CallState.DONE
    assert len(server.sent("tasks/get")) == 2


async def test_the_result_is_requested_once_and_polls_go_on(tmp_path: Path) -> None:
    """R4, R5: `tasks/result` at `input_required`, one for all polls; the question on its stream; R8: related-task."""
    server = TaskServer()
    server.put("tasks/get", task("input_required"))

    async def ask(stream: Stream) -> None:
        await stream.begin()
        await stream.event(elicitation(7))
        await server.until(None)
        server.put("tasks/get", task("completed"))
        await stream.done()
        await stream.end()

    server.put("tasks/result", ask)
    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        [request] = await rooms.pending_requests(call)
        assert request.ids.task_id == "t1"
        await server.until("tasks/get", 3)
        assert len(server.sent("tasks/result")) == 1
        await rooms.answer(request, Action.ACCEPT, NAME)
        assert (await rooms.ended(call)).state is CallState.DONE
    [response] = server.responses
    assert (response["id"], response["result"]["content"]) == (7, NAME)
    assert response["result"]["_meta"][RELATED] == {"taskId": "t1"}
    for method in ("tasks/get", "tasks/result"):
        assert all(RELATED not in message["params"].get("_meta", {}) for message in server.sent(method))


async def test_a_lost_stream_of_the_result_loses_nothing(tmp_path: Path) -> None:
    """R4: polls go on, and the result is requested again."""
    server = TaskServer()
    server.put("tasks/get", task("input_required"), task("input_required"), task("completed"))

    async def drop(stream: Stream) -> None:
        await stream.begin()
        await stream.end()

    server.put("tasks/result", drop, drop, {"content": [{"type": "text", "text": "done"}]})
    async with connected(tmp_path, server) as rooms:
        done = await rooms.ended(await rooms.call("it", "work"))
    assert done.state is CallState.DONE, done.error
    assert "done" in str(done.result)


async def test_a_forgotten_request_for_the_result_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R4: a server MUST give the result once the task has ended; one that forgot the request gets another."""
    monkeypatch.setattr(push_task, "FORGOTTEN_AFTER", 0.1)
    server = TaskServer()
    server.put("tasks/get", task("input_required"), task("completed"))

    async def never(_stream: Stream) -> None:
        await asyncio.Event().wait()

    server.put("tasks/result", never, DONE)
    async with connected(tmp_path, server) as rooms:
        done = await rooms.ended(await rooms.call("it", "work"))
        assert done.state is CallState.DONE, done.error
        [withdrawn] = await server.until("notifications/cancelled")
    forgotten, _answered = server.sent("tasks/result")
    assert withdrawn["params"]["requestId"] == forgotten["id"]


async def test_a_question_on_another_stream_finds_its_task(tmp_path: Path) -> None:
    """R7: SHOULD expect messages of a task on any stream; it belongs to its task, not to another call."""
    server = TaskServer()
    server.put("tools/call", {"task": task(task_id="t1")}, {"task": task(task_id="t2")})
    server.put("tasks/get", UNKNOWN)

    async def status(stream: Stream) -> None:
        await stream.begin()
        task_id = stream.message["params"]["taskId"]
        await stream.event({"jsonrpc": "2.0", "id": stream.message["id"], "result": task(task_id=task_id)})
        await stream.end()

    server.put("tasks/get", status)
    async with connected(tmp_path, server) as rooms:
        first = await rooms.call("it", "work")
        await following(rooms, first)
        second = await rooms.call("it", "work")
        await following(rooms, second)
        await server.push(elicitation(3, "t2"))
        [request] = await rooms.pending_requests(second)
        assert request.call_id == second.id
        for call in (first, second):
            await rooms.services.calls.cancel(await now(rooms, call))


async def test_a_task_is_cancelled_by_its_id(tmp_path: Path) -> None:
    """R9: MUST use `tasks/cancel`, which names no task in `_meta` (R8); R13: the task may be gone then."""
    server = TaskServer()
    server.put("tasks/get", task())
    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        await following(rooms, call)
        server.put("tasks/get", UNKNOWN)
        assert (await rooms.services.calls.cancel(await now(rooms, call))).state is CallState.CANCELLED
        assert len(await server.until("tasks/cancel")) == 1
        assert (await rooms.ended(call)).state is CallState.CANCELLED
    [created] = server.sent("tools/call")
    [cancelled] = server.sent("tasks/cancel")
    assert RELATED not in cancelled["params"].get("_meta", {})
    assert created["id"] not in [each["params"]["requestId"] for each in server.sent("notifications/cancelled")]


async def test_a_handle_after_the_cancel_cancels_its_task(tmp_path: Path) -> None:
    """R9: before its handle has come a task cannot be cancelled; so that is awaited."""
    server = TaskServer()
    go_on = asyncio.Event()

    async def create(stream: Stream) -> None:
        await stream.begin()
        await go_on.wait()
        await stream.event({"jsonrpc": "2.0", "id": stream.message["id"], "result": {"task": task()}})
        await stream.end()

    server.put("tools/call", create)
    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        await server.until("tools/call")
        assert (await rooms.services.calls.cancel(call)).state is CallState.CANCELLED
        go_on.set()
        [cancelled] = await server.until("tasks/cancel")
        assert cancelled["params"]["taskId"] == "t1"
    assert server.sent("notifications/cancelled") == []


async def test_a_cancel_that_crosses_the_end_counts_once(tmp_path: Path) -> None:
    """R9: the server refuses to cancel a task that has ended; here the call was cancelled first, and stays so."""
    server = TaskServer()
    server.put("tasks/get", task())
    server.put("tasks/cancel", {"error": {"code": -32602, "message": "already completed"}})
    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        await following(rooms, call)
        server.put("tasks/get", task("completed"))
        await rooms.services.calls.cancel(await now(rooms, call))
        await server.until("tasks/cancel")
        ended = await rooms.ended(call)
        assert (ended.state, ended.result) == (CallState.CANCELLED, None)


async def test_cursors_are_passed_on_and_a_list_ends(tmp_path: Path) -> None:
    """R10: cursors are opaque; an endless list is cut, and entries that are not tasks are left out."""
    server = TaskServer()
    first: Json = {"tasks": [task(task_id="t1"), {"taskId": 7}, "odd"], "nextCursor": "ü /?&"}
    server.put("tasks/list", first, {"tasks": [task(task_id="t2")]})
    async with connected(tmp_path, server) as rooms:
        wire = protocol.tasks_of(rooms.services.connections.connected(await rooms.server("it")).session)
        assert [each.id for each in await wire.list()] == ["t1", "t2"]
        assert [each.get("params", {}).get("cursor") for each in server.sent("tasks/list")] == [None, "ü /?&"]
        pages = iter(range(10_000))

        async def endless(stream: Stream) -> None:
            number = next(pages)
            found = {"tasks": [task(task_id=f"t{number}")], "nextCursor": str(number)}
            await stream.begin()
            await stream.event({"jsonrpc": "2.0", "id": stream.message["id"], "result": found})
            await stream.end()

        server.put("tasks/list", endless)
        assert len(await wire.list()) == 100


async def test_progress_goes_on_after_the_handle(tmp_path: Path) -> None:
    """R11: the token of the first request stays valid until the task has ended; others are ignored."""
    server = TaskServer()
    server.put("tasks/get", task())

    async def report(token: object, progress: int) -> None:
        params = {"progressToken": token, "progress": progress, "total": 9, "message": "brewing"}
        await server.push({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        await following(rooms, call)
        token = server.sent("tools/call")[0]["params"]["_meta"]["progressToken"]
        await report("another", 8)
        await report(token, 4)

        async def look() -> Json | None:
            return (await now(rooms, call)).progress

        assert (await rooms.until(look))["progress"] == 4
        server.put("tasks/get", task("completed"))
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_result_that_requires_a_link_runs_again(tmp_path: Path) -> None:
    """R14: -32042 from `tasks/result` is the error of the call: its link is a card, and then the call a new task."""
    params = {"mode": "url", "message": "Pay", "url": "https://example.com/pay", "elicitationId": "e1"}
    required = {"error": {"code": -32042, "message": "Pay first", "data": {"elicitations": [params]}}}
    server = TaskServer()
    server.put("tools/call", {"task": task()}, {"task": task(task_id="t2")})
    server.put("tasks/get", task("failed"), task("completed", "t2"))
    server.put("tasks/result", required, DONE)
    async with connected(tmp_path, server) as rooms:
        call = await rooms.call("it", "work")
        [link] = await rooms.pending_requests(call)
        assert link.origin is Origin.REQUIRED
        await rooms.answer(link, Action.ACCEPT)
        await server.push(
            {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": "e1"}}
        )
        done = await rooms.ended(call)
        assert done.state is CallState.DONE, done.error
        assert done.task
        assert done.task.id == "t2"
    assert len(server.sent("tools/call")) == 2


@pytest.mark.parametrize(
    ("status", "result", "state", "code"),
    [
        ("failed", {"_meta": {}}, CallState.FAILED, ReasonCode.TASK_FAILED_SAYING),
        ("failed", {"content": [{"type": "text", "text": "no tea"}], "isError": True}, CallState.DONE, None),
        ("failed", {"error": {"code": -32000, "message": "no tea"}}, CallState.FAILED, None),
        ("completed", {"content": 7}, CallState.FAILED, ReasonCode.RESULT_INVALID),
        ("cancelled", {"content": []}, CallState.CANCELLED, ReasonCode.TASK_CANCELLED_SAYING),
    ],
)
async def test_the_end_of_a_task_is_the_end_of_its_call(
    tmp_path: Path, status: str, result: Json, state: CallState, code: ReasonCode | None
) -> None:
    """R14: `tasks/result` MUST give what the call would have; servers differ in what they give for a failure."""
    server = TaskServer()
    server.put("tasks/get", task(status, statusMessage="the kettle is broken"))
    server.put("tasks/result", result)
    async with connected(tmp_path, server) as rooms:
        ended = await rooms.ended(await rooms.call("it", "work"))
    assert (ended.state, ended.reason_code) == (state, code), ended.error
    assert ended.task
    assert ended.task.status is TaskStatus(status)
    assert bool(server.sent("tasks/result")) is (status != "cancelled")
