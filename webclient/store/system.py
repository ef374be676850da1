"""The few queries and changes that cross users: what an earlier process left, deadlines, and erasing what is old.

Nothing here is for a page or the API: they act for one user, through `Store.of`.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import Call, InputRequest, Reason, RequestState
from webclient.store.calls import call_of
from webclient.store.leftovers import end_leftovers, resumable, take_over
from webclient.store.node import Node
from webclient.store.purge import drop_entries, erase_values
from webclient.store.request_columns import request_of
from webclient.store.secrets import scrub
from webclient.store.tables import requests

_HAS_DEADLINE = and_(requests.c.state == RequestState.PENDING, requests.c.expires_at.is_not(None))


class SystemStore:
    """Acts on the rows of all users."""

    def __init__(self, engine: AsyncEngine, node: Node) -> None:
        self._engine = engine
        self._node = node

    async def resumable_calls(self) -> list[Call]:
        """Return the open calls of an earlier run of this node that have a checkpoint."""
        async with self._engine.connect() as db:
            return [call_of(row) for row in await db.execute(resumable(self._node))]

    async def end_leftovers(self, reason: Reason, *, resumed: Collection[str]) -> None:
        """End the calls and requests that an earlier run of this node left open.

        The `resumed` calls and their requests belong to this run from now on. Answers that were on their way count as
        failed, and secrets that only the ended calls needed are erased. Rows of other nodes stay as they are.
        """
        async with self._engine.begin() as db:
            await take_over(db, self._node, resumed)
            await end_leftovers(db, self._node, reason)
        await scrub(self._engine)

    async def expired_requests(self, at: datetime) -> list[InputRequest]:
        """Return the pending requests whose deadline has passed."""
        late = select(requests).where(_HAS_DEADLINE, requests.c.expires_at <= at)
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(late)]

    async def deadlines_until(self, until: datetime) -> list[tuple[str, str, datetime]]:
        """Return user, id and deadline of the pending requests that expire until then."""
        near = select(requests.c.user_id, requests.c.id, requests.c.expires_at)
        async with self._engine.connect() as db:
            rows = await db.execute(near.where(_HAS_DEADLINE, requests.c.expires_at <= until))
            return [(row[0], row[1], row[2]) for row in rows]

    async def next_deadline(self, *, after: datetime) -> datetime | None:
        """Return the first deadline of a pending request after that moment."""
        first = select(func.min(requests.c.expires_at)).where(_HAS_DEADLINE, requests.c.expires_at > after)
        async with self._engine.connect() as db:
            found: datetime | None = (await db.execute(first)).scalar_one()
        return found

    async def erase_values(self, before: datetime) -> int:
        """Erase the values, not the names, of some entries that ended `before` then; return how many."""
        async with self._engine.begin() as db:
            return await erase_values(db, before)

    async def drop_entries(self, before: datetime) -> int:
        """Delete some entries that ended `before` then; return how many."""
        async with self._engine.begin() as db:
            return await drop_entries(db, before)

    async def scrub(self) -> None:
        """Take erased values out of the database's log as well."""
        await scrub(self._engine)
