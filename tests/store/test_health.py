"""The health of the database: a connection that SQLite opened read-only is not used once the folder is writable."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.store.conftest import TestDatabase
from webclient.domain.model import Reason, ReasonCode
from webclient.store import StorageError, Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(tmp_path: Path) -> TestDatabase:
    """SQLite alone keeps a connection read-only."""
    return TestDatabase(tmp_path)


def opened_by(store: Store, *, read_only: int = 0) -> list[sqlite3.Connection]:
    """Return the connections that the store opens from now on; the first of them cannot write."""
    opened: list[sqlite3.Connection] = []

    def note(connection: sqlite3.Connection, _record: object) -> None:
        if len(opened) < read_only:
            connection.execute("PRAGMA query_only = ON").close()
        opened.append(connection)

    event.listen(store._database.engine, "connect", note)
    return opened


async def test_a_connection_that_could_not_write_is_replaced(store: Store) -> None:
    store._database.renew()
    opened = opened_by(store, read_only=1)
    with pytest.raises(StorageError):
        await store._database.probe()
    assert store.health.trouble
    await store._database.probe()
    assert len(opened) == 2


async def test_all_connections_are_replaced_at_the_mend(store: Store) -> None:
    """Some may have been opened while the folder was read-only, without a write that showed it."""
    opened = opened_by(store)
    await store.of("ada").servers.all()
    store.health._note(StorageError(Reason.of(ReasonCode.FOLDER_UNWRITABLE, error="read-only")))
    await store.health._try()
    assert store.health.trouble is None
    before = len(opened)
    await store._database.probe()
    await store.of("ada").servers.all()
    assert len(opened) == before + 2


async def test_a_connection_opened_after_the_mend_is_used_again(store: Store) -> None:
    store.health._note(StorageError(Reason.of(ReasonCode.FOLDER_UNWRITABLE, error="read-only")))
    await store.health._try()
    opened = opened_by(store)
    for _each in range(3):
        await store._database.probe()
    assert len(opened) == 1
