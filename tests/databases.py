"""The databases of tests: each begins as a copy of one that was made once, and statements are compiled once for all."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from webclient.store.database.sqlite import FILE
from webclient.store.database.upgrade import prepare_file


def prepare(folder: Path) -> None:
    """Put an empty database into the folder, unless there is one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = folder / FILE
    if not database.exists():
        database.touch(0o600)
        database.write_bytes(_empty())


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        prepare_file(Path(folder))
        return (Path(folder) / FILE).read_bytes()


class SharedSQLite(SQLiteDialect_pysqlite):
    """SQLAlchemy's dialect for SQLite; what one of them compiled serves the others, which equal it."""

    supports_statement_cache = True
    own_sealer: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedSQLite)

    def __hash__(self) -> int:
        return hash(SharedSQLite)

    @property
    def sealer(self) -> Any:
        """What seals secrets: a compiled statement asks the dialect that compiled it, not the one that runs it."""
        return _opened.dialect.own_sealer

    @sealer.setter
    def sealer(self, sealer: Any) -> None:
        self.own_sealer = sealer


_compiled: LRUCache[object, object] = LRUCache(2000)

_opened = local()
"""The dialect of the connection that this thread opened last: each thread of a store has one."""


def share_compiled_statements() -> None:
    """Compile each statement once in this process: half of the time in which a program of a test starts.

    SQLAlchemy does it once for each engine. A program has one, but each test has its own.
    """
    registry.register("sqlite", __name__, SharedSQLite.__name__)
    event.listen(Engine, "engine_connect", _share)


def _share(connection: Connection) -> None:
    if isinstance(connection.dialect, SharedSQLite):
        _opened.dialect = connection.dialect
        connection.execution_options(compiled_cache=_compiled)
