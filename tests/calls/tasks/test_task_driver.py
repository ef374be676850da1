"""A call follows its task of 2026-07-28 from the handle to the end, and cancels it when the person cancels the call."""

from __future__ import annotations

import pytest

from tests.calls.tasks.task_calls import ASKING, DONE, fail, log, said, stored, tell, with_task
from tests.house import House
from webclient.calls import polling, task_driver
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import (
    Action,
    CallState,
    Json,
    ReasonCode,
    TaskStatus,
)
from webclient.protocol.messages import checked_result

pytestmark = pytest.mark.anyio


async def test_a_task_is_polled_until_its_result_is_there(rooms: House) -> None:
    """X1: either a result or a handle comes of any `tools/call`."""
    call = await rooms.call("it", "run", {"statusMessage": "Thinking"})
    running = await with_task(rooms, call)
    assert running.task
    assert (running.state, running.task.status) == (CallState.RUNNING, TaskStatus.WORKING)
    assert (running.task.id, running.task.status_message) == ("t1", "Thinking")
    await tell(rooms, "t1", DONE)
    ended = await rooms.ended(call)
    assert (ended.state, ended.result) == (CallState.DONE, DONE["result"])
    assert ended.task
    assert ended.task.status is TaskStatus.COMPLETED
    plain = await rooms.ended(await rooms.call("it", "run", {"plain": "at once"}))
    assert (plain.state, plain.task) == (CallState.DONE, None)


async def test_the_newest_state_of_the_task_is_shown(rooms: House) -> None:
    """X3 and X11: message, interval and time to live MAY change; `null` means that the server keeps it for ever."""
    call = await rooms.call("it", "run", {"ttlMs": 86_400_000})
    first = await with_task(rooms, call)
    assert first.task
    assert first.task.expires_at
    await tell(rooms, "t1", {"ttlMs": None, "pollIntervalMs": 2, "statusMessage": "Half way"})
    newest = await said(rooms, call, "Half way")
    assert newest.task
    assert (newest.task.status_message, newest.task.ttl, newest.task.expires_at) == ("Half way", None, None)
    assert (newest.task.poll_interval, newest.task.received_at) == (2, first.task.received_at)
    await tell(rooms, "t1", DONE)
    await rooms.ended(call)


@pytest.mark.parametrize("asking", [False, True])
async def test_cancelling_the_call_cancels_its_task_once(rooms: House, asking: bool) -> None:
    """X9: MUST NOT use `notifications/cancelled` to cancel a task; exactly one `tasks/cancel` goes out."""
    call = await rooms.call("it", "run", ASKING if asking else {})
    if asking:
        [request] = await rooms.pending_requests(call)
    running = await with_task(rooms, call)
    cancelled = await rooms.services.calls.cancel(running)
    assert (cancelled.state, cancelled.reason_code) == (CallState.CANCELLED, ReasonCode.CALL_CANCELLED)
    if asking:
        assert (await rooms.settled(request)).reason_code is ReasonCode.CALL_CANCELLED
        with pytest.raises(AlreadySettledError):
            await rooms.answer(request, Action.ACCEPT, {"name": "late"})
    ended = await stored(rooms, call)
    assert ended.task
    assert (ended.task.status, ended.updated_at) == (TaskStatus.CANCELLED, cancelled.updated_at)
    [sent] = await log(rooms, "tasks/cancel")
    assert sent["params"]["taskId"] == "t1"
    for notified in await log(rooms, "notifications/cancelled"):
        assert notified["params"]["requestId"] not in _ids(await log(rooms, "tools/call"))


async def test_an_unconfirmed_cancellation_leaves_the_task_as_it_is(rooms: House) -> None:
    """The acknowledgement of `tasks/cancel` says nothing of the task, which may go on."""
    call = await rooms.call("it", "run")
    running = await with_task(rooms, call)
    await fail(rooms, "tasks/cancel", -32603)
    assert (await rooms.services.calls.cancel(running)).state is CallState.CANCELLED
    ended = await stored(rooms, call)
    assert ended.task
    assert ended.task.status is TaskStatus.WORKING


def _ids(requests: list[Json]) -> list[object]:
    return [each["id"] for each in requests]


@pytest.mark.slow
async def test_polls_that_fail_are_made_again(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "SLOWEST", 0.02)
    call = await rooms.call("it", "run")
    await with_task(rooms, call)
    await fail(rooms, "tasks/get", -32603, times=task_driver.MOST_FAILED - 1)
    await tell(rooms, "t1", DONE)
    assert (await rooms.ended(call)).state is CallState.DONE
    again = await rooms.call("it", "run")
    await with_task(rooms, again)
    await fail(rooms, "tasks/get", -32603, times=task_driver.MOST_FAILED)
    failed = await rooms.ended(again)
    assert failed.error
    assert (failed.state, failed.error.code) == (CallState.FAILED, -32603)
    assert len(await log(rooms, "tasks/cancel")) == 1


async def test_a_lost_poll_is_made_again(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """X3: polling goes on; the call does not wait for ever for an answer that does not come."""
    monkeypatch.setattr(checked_result, "PATIENCE", 0.1)
    call = await rooms.call("it", "run")
    await with_task(rooms, call)
    await rooms.ended(await rooms.call("it", "fail", {"method": "tasks/get", "error": None}))
    await tell(rooms, "t1", DONE)
    assert (await rooms.ended(call)).state is CallState.DONE


@pytest.mark.parametrize("code", [-32601, -32021, -32003])
async def test_errors_that_stay_the_same_end_the_call(rooms: House, code: int) -> None:
    call = await rooms.call("it", "run")
    await with_task(rooms, call)
    await fail(rooms, "tasks/get", code)
    failed = await rooms.ended(call)
    assert failed.error
    assert (failed.state, failed.error.code) == (CallState.FAILED, code)
