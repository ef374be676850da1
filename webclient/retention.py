"""Erases what is too old to be kept: at the start and then now and again, in the background, quietly."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from webclient.model import now
from webclient.retention_policy import RetentionPolicy
from webclient.store import StorageError, Store

logger = logging.getLogger(__name__)

PAUSE = timedelta(minutes=10)
"""Between two looks for what has become too old."""

GRACE = timedelta(minutes=5)
"""How long values are kept at least: results must be read by whoever asked for them."""


class Retention:
    """Keeps the promise of `RetentionPolicy`."""

    def __init__(self, store: Store, retention_policy: RetentionPolicy) -> None:
        self._store = store
        self._retention_policy = retention_policy

    async def keep(self) -> None:
        """Erase what is or becomes too old, for ever."""
        while True:
            try:
                await self.sweep()
            except StorageError as error:
                logger.warning("What is too old could not be erased: %s", error.why)
            await asyncio.sleep(PAUSE.total_seconds())

    async def sweep(self) -> None:
        """Erase what is too old now."""
        erased = await self._all(self._store.erasing.values, max(self._retention_policy.values, GRACE))
        if self._retention_policy.entries is not None:
            erased += await self._all(self._store.erasing.entries, self._retention_policy.entries)
        if erased:
            await self._store.secrets.scrub()

    async def _all(self, erase: Callable[[datetime], Awaitable[int]], age: timedelta) -> int:
        before, erased = now() - age, 0
        while batch := await erase(before):
            erased += batch
        return erased
