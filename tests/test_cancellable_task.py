"""A task that is stopped: whenever that happens, what it does whole is carried out, and it says goodbye."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from unittest.mock import patch

import pytest

from webclient.cancellable_task import CancellableTask
from webclient.model import Call, CallKind
from webclient.store import Store, database

pytestmark = pytest.mark.anyio

TURNS = 40
"""More than a statement takes of the event loop."""


async def test_a_statement_is_not_cut_off(tmp_path: Path) -> None:
    opened: list[sqlite3.Connection] = []

    with patch.object(database, "set_pragmas", lambda connection, _record: opened.append(connection)):
        store = Store(tmp_path)
        await store.open()
        begun = len(opened)
        for turns in range(TURNS):
            call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
            adding = CancellableTask(store.of(call.user_id).calls.add(call), name="adding")
            for _turn in range(turns):
                await asyncio.sleep(0)
            adding.stop()
            await adding.ended()
        await store.close()
    # A statement that is cut off costs its connection.
    assert len(opened) - begun <= database.CONNECTIONS


async def test_work_that_is_stopped_before_it_begins_ends_as_any_other() -> None:
    told = []

    async def work() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            told.append("goodbye")

    stopped = CancellableTask(work(), name="stopped")
    stopped.stop()
    await stopped.ended()
    assert told == ["goodbye"]


async def test_nothing_waits_longer_for_its_end_than_it_wants() -> None:
    work = CancellableTask(asyncio.sleep(60), name="asleep")
    await work.ended(0)
    work.stop()
    await work.ended()
