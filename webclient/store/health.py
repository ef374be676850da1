"""Whether the database can be written, and how to wait until it can: nothing is given up because a disk is full."""

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
        """Raise the StorageError of the trouble that there is, if there is any."""
        if self.trouble is not None:
            raise StorageError(str(self.trouble), self.trouble.why)

    async def until_written(self, write: Callable[[], Awaitable[T]]) -> T | None:
        """Write what must not get lost: if it cannot be written now, again as soon as it can.

        None when this program ends before that; the next one then finds the thing open, and settles it.
        """
        while True:
            try:
                return await write()
            except StorageError:
                if self._closing:
                    return None
                await self._mended.wait()

    async def write_soon(self, what: Hashable, write: Callable[[], Awaitable[object]]) -> None:
        """Write now, or else as soon as it can be written, while nobody waits: for whoever must not be held up.

        Of several that write the same `what` while none can, the first is enough.
        """
        try:
            await write()
        except StorageError:
            if what not in self._owed:
                owed = self._owed[what] = asyncio.ensure_future(self.until_written(write))
                owed.add_done_callback(lambda _done: self._owed.pop(what))

    async def watch(self, told: Callable[[], None]) -> None:
        """After each failure try until writing works again; `told` is called when that changes."""
        while True:
            await self._failed.wait()
            told()
            while self.trouble is not None:
                await asyncio.sleep(PAUSE)
                await self._try()
            self._failed.clear()
            self._mended.set()
            told()

    def close(self) -> None:
        """Let nobody wait any more: this program ends."""
        self._closing = True
        self._mended.set()

    async def closed(self) -> None:
        """Wait until what is owed was tried for the last time."""
        await asyncio.gather(*self._owed.values(), return_exceptions=True)

    async def _try(self) -> None:
        try:
            async with self._engine.begin() as db:
                # A number of ours in the head of the file: written whatever it was, and of no other use.
                await db.exec_driver_sql("PRAGMA user_version = 1")
        except StorageError:
            return
        self._mend()

    def _mend(self) -> None:
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
