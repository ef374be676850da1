"""Each end of a task of 2026-07-28 is an end of its call."""

from __future__ import annotations

import pytest

from tests.calls.tasks.task_calls import FORM, LINK, call_with, log, tell, with_task
from tests.house import House
from webclient.domain.model import (
    Action,
    CallState,
    Json,
    Origin,
    ReasonCode,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("state", "ended", "code", "message"),
    [
        ({"status": "failed", "error": {"code": -7, "message": "Broken"}}, CallState.FAILED, None, "Broken"),
        ({"status": "failed", "statusMessage": "Broken"}, CallState.FAILED, ReasonCode.TASK_FAILED_SAYING, None),
        ({"status": "failed"}, CallState.FAILED, ReasonCode.TASK_FAILED, None),
        ({"status": "cancelled"}, CallState.CANCELLED, ReasonCode.TASK_CANCELLED, None),
        (
            {"status": "cancelled", "statusMessage": "Too dear"},
            CallState.CANCELLED,
            ReasonCode.TASK_CANCELLED_SAYING,
            None,
        ),
        ({"status": "completed"}, CallState.FAILED, ReasonCode.RESULT_INVALID, None),
        ({"status": "completed", "result": {"content": "?"}}, CallState.FAILED, ReasonCode.RESULT_INVALID, None),
    ],
)
async def test_a_task_ends_its_call(
    rooms: House, state: Json, ended: CallState, code: ReasonCode | None, message: str | None
) -> None:
    """Only a JSON-RPC error makes it `failed`; the server may cancel it by itself. Open questions end with it."""
    call, [request] = await call_with(rooms, q1=FORM)
    await tell(rooms, "t1", state)
    over = await rooms.ended(call)
    assert over.error
    assert (over.state, over.reason_code, over.error.message) == (ended, code, message)
    assert (await rooms.settled(request)).reason_code is ReasonCode.CALL_ENDED


async def test_a_result_that_reports_an_error_is_a_result(rooms: House) -> None:
    """The reverse of 2025-11-25: the error of a tool is `completed` with `isError`."""
    call = await rooms.call("it", "run", {"status": "completed", "result": {"content": [], "isError": True}})
    done = await rooms.ended(call)
    assert (done.state, done.tool_failed) == (CallState.DONE, True)


@pytest.mark.parametrize(
    ("ttl", "code"),
    [(None, ReasonCode.TASK_UNKNOWN), (86_400_000, ReasonCode.TASK_UNKNOWN), (0, ReasonCode.TASK_EXPIRED)],
)
async def test_a_forgotten_task_ends_with_a_sentence(rooms: House, ttl: int | None, code: ReasonCode) -> None:
    """X11, -32602: by our own clock its time ran out, or the server no longer knows it."""
    call = await rooms.call("it", "run", {"ttlMs": ttl})
    await with_task(rooms, call)
    await tell(rooms, "t1", None)
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code, failed.can_start_over) == (CallState.FAILED, code, True)
    assert failed.error
    assert failed.error.code == -32602
    assert await log(rooms, "tasks/cancel") == []


async def test_a_task_that_fails_for_a_link_asks_and_runs_again(rooms: House) -> None:
    """-32042 from a task is the call's own error: its link becomes a card, and the call a new task."""
    data = {"elicitations": [LINK["params"]]}
    call = await rooms.call("it", "run", {"status": "failed", "error": {"code": -32042, "message": "!", "data": data}})
    [link] = await rooms.pending_requests(call)
    assert link.origin is Origin.REQUIRED
    await rooms.answer(link, Action.DECLINE)
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.LINK_DECLINED)
