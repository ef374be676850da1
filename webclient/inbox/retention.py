"""Retention: how long typed values and entries of the history are kept, and the task that deletes older ones.

`RetentionPolicy` decides; `Retention` deletes at start-up and every ten minutes, in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from webclient.content.forms import read_program_form, withheld_values
from webclient.domain.model import FETCH_TIME, now
from webclient.store import StorageError, Store

logger = logging.getLogger(__name__)

PAUSE = timedelta(minutes=10)
"""Time between two sweeps."""

SHARE = 0.2
"""The part of its time for which a sweep may hold up other writers; between its batches it rests."""

GRACE = timedelta(minutes=5)
"""Values are kept at least this long, so that the person who started a call can read its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """Maximum age of `values` and of whole `entries`; zero keeps no values, None keeps entries for ever."""

    values: timedelta = timedelta(days=30)
    entries: timedelta | None = None

    def withheld_from_answer(self, content: Mapping[str, Any], secrets: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of values in an answer that are deleted once it is sent."""
        return secrets if self.values else tuple(content)

    def withheld_from_call(self, schema: Any, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of arguments that are deleted once the call ends; `schema` is its `inputSchema`."""
        given = {name: value for name, value in arguments.items() if value is not None}
        return withheld_values(read_program_form(schema or {}), given) if self.values else tuple(given)


class Retention:
    """Deletes what is older than a `RetentionPolicy` allows."""

    def __init__(self, store: Store, policy: RetentionPolicy) -> None:
        self._store = store
        self._policy = policy
        self.may_purge: Callable[[], bool] = lambda: True
        """Of several processes that share the database, one purges."""

    async def run(self) -> None:
        """Purge every `PAUSE`, until cancelled."""
        while True:
            try:
                if self.may_purge():
                    await self.purge()
            except StorageError as error:
                logger.warning("Old entries could not be deleted: %s", error)
            await asyncio.sleep(PAUSE.total_seconds())

    async def purge(self) -> None:
        """Purge everything that is too old now."""
        erased = await self._purge(self._store.system.erase_values, max(self._policy.values, GRACE))
        if self._policy.entries is not None:
            erased += await self._purge(self._store.system.purge_entries, self._policy.entries)
        await self._store.audit.purge()
        erased += await self._store.system.purge_sign_ins()
        erased += await self._store.system.purge_hosted_tasks(now() - FETCH_TIME)
        if erased:
            await self._store.system.scrub()

    async def _purge(self, erase: Callable[[datetime], Awaitable[int]], age: timedelta) -> int:
        before, erased = now() - age, 0
        started = monotonic()
        while batch := await erase(before):
            erased += batch
            # A long history that suddenly is too old takes minutes, in which people want to answer.
            await asyncio.sleep((monotonic() - started) * (1 / SHARE - 1))
            started = monotonic()
        return erased
