"""SQLite: how its connections are set, how its transactions begin, and which errors are faults of the storage."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.pool import NullPool

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.storage_errors import StorageError

FILE = "webclient.sqlite3"

PATIENCE = 5000
"""Milliseconds that a statement waits for a lock."""

PRAGMAS = (
    "journal_mode = WAL",  # readers never wait for the writer
    "synchronous = NORMAL",  # a crash of the process loses nothing; a power cut may lose the last moments
    f"busy_timeout = {PATIENCE}",
    "secure_delete = ON",  # what is erased is overwritten, not only forgotten
    "cache_size = -256",  # kB for each connection; 2 MB by default, while the system keeps the file in memory anyway
)
"""Settings of each connection."""

_UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
_PASSING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNUSABLE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class SQLite:
    """The database file at `path`; nothing is opened until it is used."""

    writers = 1
    """SQLite lets one connection write at a time; more would only find the database locked."""

    readers = 2

    def __init__(self, path: Path) -> None:
        self.engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
        event.listen(self.engine, "connect", _set_up)
        event.listen(self.engine, "begin", _begin)

    def connect(self, *, to_write: bool) -> Connection:
        """Open a connection; one `to_write` locks the database for writing when its transactions begin."""
        return self.engine.connect().execution_options(begin="BEGIN IMMEDIATE" if to_write else "BEGIN")

    def mark(self, _connection: Connection) -> None:
        """Name no transaction: one whose COMMIT fails is rolled back."""

    def was_committed(self, _mark: str) -> bool:
        """Return False: see `mark`."""
        return False

    def scrub(self, connection: Connection) -> bool:
        """Empty the log, which has earlier states of rows until it is reused; outside of a transaction.

        False while an earlier state is being read.
        """
        cursor = connection.connection.cursor()
        # Without waiting for readers, for which all who write would wait as well.
        with suppress(sqlite3.Error), _without_patience(cursor):
            is_busy, *_pages = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not is_busy
        return False

    def fault(self, error: BaseException | None) -> StorageError | None:
        """Return the error to raise if nothing can be stored or read now; None if `error` is a mistake of ours."""
        return _fault(error)


def passing_fault(error: BaseException | None) -> StorageError | None:
    """Return the error to raise for a fault that passes: a full disk, or a lock."""
    return _fault(error) if _code(error) in _PASSING else None


def _fault(error: BaseException | None) -> StorageError | None:
    code = _code(error)
    if code in _UNWRITABLE:
        return StorageError(Reason.of(ReasonCode.FOLDER_UNWRITABLE, error=str(error)))
    if code in _UNUSABLE:
        return StorageError(Reason.of(ReasonCode.DATABASE_BROKEN, error=str(error)))
    return None


def _code(error: BaseException | None) -> int:
    # The extended code has the primary one in its lowest byte (SQLite, Result and Error Codes).
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


@contextmanager
def _without_patience(cursor: Any) -> Iterator[None]:
    cursor.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE}")


def _set_up(connection: Any, _record: Any) -> None:
    # `_begin` begins each transaction: Python's driver begins none before a SELECT or a change of tables.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options()["begin"])
