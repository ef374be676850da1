"""Units of work: each runs whole or changes nothing, also when the task that waits for it is cancelled."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, delete, func, insert, select

from tests.store.rows import a_request
from webclient.domain.model import RequestState, now
from webclient.store import StorageError, Store
from webclient.store.database import own_connection
from webclient.store.database.sqlite import FILE, SQLite
from webclient.store.database.tables import nodes

pytestmark = pytest.mark.anyio


def add_node(db: Connection, name: str) -> str:
    db.execute(insert(nodes).values(id=name, generation=1, started_at=now()))
    return name


def count_nodes(db: Connection) -> int:
    return db.execute(select(func.count()).select_from(nodes)).scalar_one()


async def test_a_unit_of_work_outlives_the_task_that_waits(store: Store) -> None:
    """Cancelled by anyio, as Starlette and the MCP SDK do it; the task still gets the result."""
    begun, go_on, results = threading.Event(), threading.Event(), []

    def slowly(db: Connection) -> str:
        begun.set()
        go_on.wait()
        return add_node(db, "slow")

    async with anyio.create_task_group() as group:

        async def write() -> None:
            results.append(await store._database.write(slowly))

        group.start_soon(write)
        await asyncio.to_thread(begun.wait)
        group.cancel_scope.cancel()
        go_on.set()
    assert results == ["slow"]
    assert await store._database.read(count_nodes) == 2


async def test_a_unit_of_work_that_raises_changes_nothing(store: Store) -> None:
    def fail(db: Connection) -> None:
        db.execute(delete(nodes))
        raise LookupError

    with pytest.raises(LookupError):
        await store._database.write(fail)
    assert await store._database.read(count_nodes) == 1


async def test_a_unit_of_work_that_stops_an_iteration_fails(store: Store) -> None:
    """A future refuses StopIteration: the task would wait for ever."""

    def fail(db: Connection) -> None:
        db.execute(delete(nodes))
        next(iter(()))

    with pytest.raises(RuntimeError) as caught:
        # Only a cancellation of asyncio ends a wait that anyio shields.
        await asyncio.wait_for(store._database.write(fail), 30)
    assert isinstance(caught.value.__cause__, StopIteration)
    assert await store._database.read(count_nodes) == 1


async def test_a_unit_of_work_reads_one_state(store: Store) -> None:
    """What is written between its statements is not seen."""
    begun, go_on = threading.Event(), threading.Event()

    def twice(db: Connection) -> tuple[int, int]:
        before = count_nodes(db)
        begun.set()
        go_on.wait()
        return before, count_nodes(db)

    reading = asyncio.create_task(store._database.read(twice))
    await asyncio.to_thread(begun.wait)
    await store._database.write(add_node, "meanwhile")
    go_on.set()
    assert await reading == (1, 1)
    assert await store._database.read(count_nodes) == 2


async def test_closing_waits_for_all_that_was_begun(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    writing = [asyncio.create_task(store._database.write(add_node, str(n))) for n in range(100)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*writing) == [str(n) for n in range(100)]
    with pytest.raises(StorageError):
        await store._database.read(count_nodes)
    assert open_databases(tmp_path) == 0


async def test_a_slow_disk_fills_no_memory_and_delays_no_reader(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """More writes than may wait are refused, and the pages say why until the disk has caught up."""
    monkeypatch.setattr("webclient.store.database.database.MOST_WAITING", 3)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(_db: Connection) -> None:
        begun.set()
        go_on.wait()

    writing = [asyncio.create_task(store._database.write(slowly))]
    await asyncio.to_thread(begun.wait)
    writing += [asyncio.create_task(store._database.write(slowly)) for _each in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(StorageError):
        await store._database.write(add_node, "too many")
    assert store.health.trouble
    assert await store._database.read(count_nodes) == 1
    go_on.set()
    await asyncio.gather(*writing)
    await store.health._try()
    assert store.health.trouble is None


async def test_reading_and_writing_open_three_connections(store: Store, tmp_path: Path) -> None:
    await store.of("ada").requests.add(a_request())
    for _each in range(50):
        async with anyio.create_task_group() as group:
            for _at_once in range(5):
                group.start_soon(store.of("ada").requests.find)
            await asyncio.sleep(0)
            group.cancel_scope.cancel()
    assert open_databases(tmp_path) <= SQLite.readers + SQLite.writers == 3


def open_databases(folder: Path) -> int:
    """Return how often this process has the database in this folder open (Linux)."""
    return sum(os.path.realpath(file) == os.path.realpath(folder / FILE) for file in Path("/proc/self/fd").iterdir())


async def test_a_log_that_another_program_reads_is_emptied_later(tmp_path: Path) -> None:
    """Until then no writer waits for the reader."""
    store = Store(tmp_path)
    await store.open()
    log = tmp_path / f"{FILE}-wal"
    with closing(sqlite3.connect(tmp_path / FILE)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM nodes").fetchone()
        await store.system.scrub()
        await store._database.write(add_node, "other")
        assert log.stat().st_size
        reader.rollback()
    async with asyncio.timeout(30):
        while log.stat().st_size:  # noqa: ASYNC110  (another thread does it)
            await asyncio.sleep(0.02)
    await store.close()


async def test_a_log_that_is_read_for_long_is_worth_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(own_connection, "SCRUB_PATIENCE", 0)
    store = Store(tmp_path)
    await store.open()
    await store._database.write(add_node, "first")
    with closing(sqlite3.connect(tmp_path / FILE)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM nodes").fetchone()
        for _time in range(2):
            await store.system.scrub()
            await store._database.write(add_node, f"other {_time}")
    await store.close()
    assert caplog.text.count("still in the log") == 1


async def test_hundreds_of_simultaneous_writes_succeed(store: Store) -> None:
    requests = [a_request() for _ in range(300)]
    await asyncio.gather(*(store.of(request.user_id).requests.add(request) for request in requests))
    settled = await asyncio.gather(
        *(store.of("ada").requests.settle(request.id, to=RequestState.DECLINED) for request in requests)
    )
    assert all(settled)
