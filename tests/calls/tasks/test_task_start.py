"""The handle of a task of 2026-07-28 in place of a result (extension io.modelcontextprotocol/tasks, SEP-2663)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.calls.tasks.task_calls import log
from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.calls import task_start
from webclient.domain.model import (
    Call,
    CallKind,
    CallState,
    Json,
    ReasonCode,
)

pytestmark = pytest.mark.anyio


async def test_a_task_in_place_of_a_prompt_is_invalid(rooms: House) -> None:
    """X2: a handle for a method that cannot run as a task MUST be an invalid response; X13: the method decides."""
    call = await rooms.call("it", "task", None, kind=CallKind.PROMPT)
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code, failed.task) == (CallState.FAILED, ReasonCode.TASK_UNEXPECTED, None)
    assert await log(rooms, "tasks/get") == []


@pytest.mark.parametrize("handle", [{"taskId": None}, {"taskId": ""}, {"taskId": "x" * 2000}, {"status": "dancing"}])
async def test_a_malformed_handle_fails_the_call(rooms: House, handle: Json) -> None:
    failed = await rooms.ended(await rooms.call("it", "run", handle))
    assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.RESULT_INVALID)


async def test_a_handle_means_nothing_in_the_older_version(tmp_path: Path) -> None:
    """X12: under 2025-11-25 the extension does not exist."""
    result = {"resultType": "task", "taskId": "t1", "status": "working", "content": []}
    async with house(tmp_path, [config("it", stdio("plain"))]) as rooms:
        await rooms.connected("it")
        done = await rooms.ended(await rooms.call("it", "give", {"result": result}))
        assert (done.state, done.task) == (CallState.DONE, None)


async def test_a_handle_that_crosses_with_cancelling_is_cancelled(
    rooms: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X9: the person cancels before the handle is known; it is waited for a moment, and then its task is cancelled."""
    monkeypatch.setattr(task_start, "CROSSING", 3600)
    await rooms.services.calls.cancel(await _unanswered(rooms))
    await rooms.ended(await rooms.call("it", "release"))
    while not (cancelled := await log(rooms, "tasks/cancel")):
        pass
    assert [each["params"]["taskId"] for each in cancelled] == ["t1"]


async def test_a_call_that_may_be_no_task_is_cancelled_as_usual(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_start, "CROSSING", 0)
    await rooms.services.calls.cancel(await _unanswered(rooms))
    while not (cancelled := await log(rooms, "notifications/cancelled")):
        pass
    [sent] = [each for each in await log(rooms, "tools/call") if each["params"]["name"] == "run"]
    assert cancelled[0]["params"]["requestId"] == sent["id"]


async def _unanswered(rooms: House) -> Call:
    """Start a call that the server has, and does not answer."""
    call = await rooms.call("it", "run", {"delay": True})
    while all(each["params"]["name"] != "run" for each in await log(rooms, "tools/call")):
        pass
    return call
