"""A server that notifies of tasks is polled when it says so; another one at its interval."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.calls.tasks.task_calls import DONE, fail, log, said, tell
from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import CallState, Json

pytestmark = pytest.mark.anyio


@pytest.fixture
async def notified(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, [config("it", stdio("tasks", "--notifies"))]) as rooms:
        await rooms.connected("it")
        yield rooms


async def polls(rooms: House) -> int:
    return len(await log(rooms, "tasks/get"))


@pytest.mark.smoke
async def test_a_notified_task_is_polled_when_it_changes(notified: House) -> None:
    call = await notified.call("it", "run", {})

    async def listened() -> list[Json] | None:
        return await log(notified, "subscriptions/listen") or None

    (wanted,) = await notified.until(listened)
    assert wanted["params"]["notifications"] == {"taskIds": ["t1"]}
    before = await polls(notified)
    # The interval of the task is one millisecond.
    await asyncio.sleep(0.5)
    assert await polls(notified) <= before + 1
    await tell(notified, "t1", {"statusMessage": "half"})
    await said(notified, call, "half")
    await tell(notified, "t1", DONE)
    assert (await notified.ended(call)).state is CallState.DONE


async def test_a_server_without_notices_is_polled(rooms: House) -> None:
    call = await rooms.call("it", "run", {})
    await tell(rooms, "t1", {"statusMessage": "half"})
    await said(rooms, call, "half")
    assert len(await log(rooms, "subscriptions/listen")) == 1
    await tell(rooms, "t1", DONE)
    assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_refused_stream_leaves_the_polls(notified: House) -> None:
    await fail(notified, "subscriptions/listen", -32021)
    call = await notified.call("it", "run", {})
    await tell(notified, "t1", DONE)
    assert (await notified.ended(call)).state is CallState.DONE
    assert len(await log(notified, "subscriptions/listen")) == 1
