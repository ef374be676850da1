"""The engine on the database file: its pragmas, and how its transactions take turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from sqlalchemy import URL, Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

FILE = "webclient.sqlite3"

PRAGMAS = (
    "journal_mode = WAL",  # readers never wait for the writer
    "synchronous = NORMAL",  # a crash of the process loses nothing; a power cut may lose the last moments
    "busy_timeout = 5000",
    "secure_delete = ON",  # what is erased is overwritten, not only forgotten
    "cache_size = -256",  # kB for each connection; 2 MB by default, while the system keeps the file in memory anyway
)
"""What each connection is set to."""


CONNECTIONS = 10
"""Statements that run at the same time; each connection is a thread, and opening one takes longer than waiting."""


class _Engine(AsyncEngine):
    """An engine whose writing transactions take turns, and whose statements are not cut off.

    SQLite lets one write at a time, and does not make the others wait in line: of hundreds that come together, such as
    when a server with many questions is disconnected, some would find the database locked until they give up.

    A client that goes away cancels what was being done for it. In the middle of a statement that would cost the
    connection, which then stays open for good: under anyio's cancellation its orderly end is cancelled as well.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:  # type: ignore[override]
        """Give a connection to read with."""
        with anyio.CancelScope(shield=True):
            async with super().connect() as connection:
                yield connection

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection in a transaction, once the one before has ended."""
        async with self._turn, self.connect() as connection, connection.begin():
            yield connection


def engine_for(data_dir: Path) -> AsyncEngine:
    """Return an engine on the database file in `data_dir`; nothing is opened until it is used."""
    url = URL.create("sqlite+aiosqlite", database=str(data_dir / FILE))
    engine = create_async_engine(url, pool_size=CONNECTIONS, max_overflow=0)
    event.listen(engine.sync_engine, "connect", set_pragmas)
    return _Engine(engine.sync_engine)


def set_pragmas(connection: Any, _record: Any) -> None:
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()
