"""Secrets that are kept only as long as a call needs them to survive a restart, in a column of their own.

The column beside them holds nothing of them, so that letting go of a secret is to empty its column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from webclient.model import Json
from webclient.store.failures import StorageError
from webclient.store.tables import calls, requests


def parted(values: Mapping[str, Any], names: Collection[str]) -> tuple[Json, Json | None]:
    """Return `values` without those of these names, and those alone."""
    kept = {name: None if name in names else value for name, value in values.items()}
    return kept, {name: value for name, value in values.items() if name in names} or None


class Secrets:
    """Knows which calls need secrets, and lets go of them."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._needed_by: set[str] = set()

    def need(self, call_id: str) -> None:
        """Note that secrets are kept for the call."""
        self._needed_by.add(call_id)

    async def let_go(self, db: AsyncConnection, call_id: str, *, ended: bool) -> bool:
        """Empty the columns of the answers in a call, and once it has ended of its arguments.

        Whether there was anything: then `scrub` is due as soon as this is written.
        """
        if call_id not in self._needed_by:
            return False
        await db.execute(update(requests).where(requests.c.call_id == call_id).values(secrets=None))
        if ended:
            await db.execute(update(calls).where(calls.c.id == call_id).values(secrets=None))
            self._needed_by.discard(call_id)
        return True

    async def let_go_all(self, *, but: Collection[str]) -> None:
        """Empty the columns for all calls of an earlier process, `but` those that go on."""
        of_others = or_(requests.c.call_id.is_(None), requests.c.call_id.not_in(list(but)))
        async with self._engine.begin() as db:
            for table, which in ((calls, calls.c.id.not_in(list(but))), (requests, of_others)):
                await db.execute(update(table).where(table.c.secrets.is_not(None), which).values(secrets=None))
            for column, table in ((calls.c.id, calls), (requests.c.call_id, requests)):
                needed = await db.execute(select(column).where(table.c.secrets.is_not(None)))
                self._needed_by |= set(needed.scalars())
        await self.scrub()

    async def scrub(self) -> None:
        """Take what was erased out of the log as well, where earlier states of the rows stand until it is reused."""
        with suppress(StorageError):
            async with self._engine.connect() as db:
                if db.dialect.name == "sqlite":
                    await db.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
