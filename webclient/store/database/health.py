"""Whether the database can be written, and how to wait until it can: a full disk loses nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from webclient.domain.model import ReasonCode
from webclient.store.database.database import Database
from webclient.store.database.node import MovedError
from webclient.store.database.storage_errors import StorageError
from webclient.support import background

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds between two attempts to write while that fails."""

T = TypeVar("T")


class Health:
    """The state of the database; `trouble` is why it cannot be written now, or None."""

    def __init__(self, database: Database) -> None:
        self.trouble: StorageError | None = None
        self._database = database
        self._failed = asyncio.Event()
        self._mended = asyncio.Event()
        self._closing = False
        self._owed: dict[Hashable, asyncio.Task[object]] = {}
        database.on_fault = self._note

    def check(self) -> None:
        """Raise the StorageError of the current trouble, if any."""
        if self.trouble is not None:
            raise StorageError(self.trouble.reason, self.trouble.detail)

    async def check_now(self) -> None:
        """Raise a StorageError if nothing can be written now, or another process has the database."""
        self.check()
        await self._database.check()

    async def probe(self) -> None:
        """Find out whether the database can be written now. Raises StorageError."""
        await self._database.probe()

    async def until_written(self, write: Callable[[], Awaitable[T]]) -> T | None:
        """Write what must not be lost: now, or as soon as the database can be written.

        Returns None if this program ends before that, or if the user has moved to another node: the next one then finds
        the row open, and settles it.
        """
        while True:
            try:
                return await write()
            except MovedError:
                return None
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
        except MovedError:
            return
        except StorageError:
            if what not in self._owed:
                owed = self._owed[what] = background.start(self.until_written(write), name="later write")
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
        self._database.give_up()
        self._mended.set()

    async def closed(self) -> None:
        """Wait until each remembered write was tried for the last time."""
        await asyncio.gather(*self._owed.values(), return_exceptions=True)

    async def _try(self) -> None:
        try:
            await self._database.probe()
        except StorageError:
            return
        # A connection that was opened meanwhile, and has not failed, may be read-only for good.
        self._database.renew()
        self.trouble = None
        logger.info("Everything can be stored again.")

    def _note(self, error: StorageError) -> None:
        is_known = self.trouble is not None and self.trouble.reason.code == error.reason.code
        if not is_known and error.reason.code is not ReasonCode.PROGRAM_ENDING:
            logger.warning("Nothing can be stored. %s", error.for_operator)
        self.trouble = error
        self._mended.clear()
        self._failed.set()
