"""The health of the database: a connection that SQLite opened read-only is not used once the folder is writable."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from webclient.store import StorageError, Store

pytestmark = pytest.mark.anyio


async def test_a_connection_still_opening_at_the_mend_is_replaced(tmp_path: Path) -> None:
    """SQLite opened it while the folder was read-only; it became usable only after another one had been written to."""
    store = Store(tmp_path)
    await store.open()
    health, engine = store.health, store._engine
    await engine.dispose()
    opened: list[Any] = []
    health._note(StorageError("The folder is read-only."))

    def mend_meanwhile(connection: Any, _record: object) -> None:
        if not opened:
            health._mend()
            connection.execute("PRAGMA query_only = ON").close()
        opened.append(connection)

    event.listen(engine.sync_engine, "connect", mend_meanwhile, insert=True)
    try:
        async with engine.begin() as db:
            await db.exec_driver_sql("PRAGMA user_version = 1")
    finally:
        await store.close()
    assert len(opened) == 2


async def test_a_connection_opened_after_the_mend_is_used_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    opened: list[sqlite3.Connection] = []
    store.health._note(StorageError("The folder is read-only."))
    store.health._mend()
    event.listen(store._engine.sync_engine, "connect", lambda connection, _record: opened.append(connection))
    try:
        for _each in range(3):
            async with store._engine.begin() as db:
                await db.exec_driver_sql("PRAGMA user_version = 1")
    finally:
        await store.close()
    assert len(opened) == 1
