"""Whether the database can be written, and how to wait until it can: a full disk loses nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool.base import _ConnectionRecord

from webclient.store.storage_errors import StorageError, name_errors

PAUSE = 1.0
"""Seconds between two attempts to write while that fails."""

T = TypeVar("T")


class Health:
    """The state of the database; `trouble` is why it cannot be written now, or None."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.trouble: StorageError | None = None
        self._engine = engine
        self._failed = asyncio.Event()
        self._mended = asyncio.Event()
        self._closing = False
        self._mended_at = 0.0
        self._owed: dict[Hashable, asyncio.Task[object]] = {}
        name_errors(engine.sync_engine, self._note)
        event.listen(engine.sync_engine, "checkout", self._taken)

    def check(self) -> None:
        """Raise the StorageError of the current trouble, if any."""
        if self.trouble is not None:
            raise StorageError(str(self.trouble), self.trouble.why)

    async def until_written(self, write: Callable[[], Awaitable[T]]) -> T | None:
        """Write what must not be lost: now, or as soon as the database can be written.

        Returns None if this program ends before that; the next one then finds the row open, and settles it.
        """
        while True:
            try:
                return await write()
            except StorageError:
                if self._closing:
                    return None
                await self._mended.wait()

    async def write_soon(self, what: Hashable, write: Callable[[], Awaitable[object]]) -> None:
        """Write now, or in the background as soon as possible: for callers that must not wait.

        While writing fails, only the first write of the same `what` is remembered.
        """
        try:
            await write()
        except StorageError:
            if what not in self._owed:
                owed = self._owed[what] = asyncio.ensure_future(self.until_written(write))
                owed.add_done_callback(lambda _done: self._owed.pop(what))

    async def watch(self, notify: Callable[[], None]) -> None:
        """After each failure, try until writing works again; call `notify` at each change."""
        while True:
            await self._failed.wait()
            notify()
            while self.trouble is not None:
                await asyncio.sleep(PAUSE)
                await self._try()
            self._failed.clear()
            self._mended.set()
            notify()

    def close(self) -> None:
        """End all waiting: this program ends."""
        self._closing = True
        self._mended.set()

    async def closed(self) -> None:
        """Wait until each remembered write was tried for the last time."""
        await asyncio.gather(*self._owed.values(), return_exceptions=True)

    async def _try(self) -> None:
        try:
            async with self._engine.begin() as db:
                # A number of ours in the head of the file: always written, and of no other use.
                await db.exec_driver_sql("PRAGMA user_version = 1")
        except StorageError:
            return
        self._mend()

    def _mend(self) -> None:
        # Once for each trouble: what is being opened is replaced at a mend, and the pool tries that only twice.
        if self.trouble is not None:
            self.trouble = None
            self._mended_at = time.time()

    def _taken(self, _connection: object, record: _ConnectionRecord, _proxy: object) -> None:
        # SQLite keeps a connection read-only that it opened while the folder was, so all older ones are replaced.
        # Their start counts, not their end: one may still be opening while another one has already been written to.
        if record.starttime < self._mended_at:
            raise DisconnectionError

    def _note(self, error: StorageError) -> None:
        self.trouble = error
        self._mended.clear()
        self._failed.set()
