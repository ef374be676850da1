"""A task that is stopped: whenever that happens, what it does whole is carried out, and it says goodbye."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from webclient.cancellable_task import CancellableTask
from webclient.model import Call, CallKind
from webclient.store import Store

pytestmark = pytest.mark.anyio

TURNS = 40
"""More than a unit of work takes of the event loop."""


async def test_a_unit_of_work_is_not_cut_off(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    added: set[str] = set()

    async def add(call: Call) -> None:
        await store.of("ada").calls.add(call)
        added.add(call.id)

    for turns in range(TURNS):
        call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
        adding = CancellableTask(add(call), name="adding")
        for _turn in range(turns):
            await asyncio.sleep(0)
        adding.stop()
        await adding.ended()
    assert added
    assert set(await store.of("ada").calls.open_ids()) == added
    await store.close()


async def test_work_stopped_before_it_begins_ends_normally() -> None:
    done = []

    async def work() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            done.append("goodbye")

    stopped = CancellableTask(work(), name="stopped")
    stopped.stop()
    await stopped.ended()
    assert done == ["goodbye"]


async def test_waiting_for_the_end_of_a_task_times_out() -> None:
    work = CancellableTask(asyncio.sleep(60), name="asleep")
    await work.ended(0)
    work.stop()
    await work.ended()
