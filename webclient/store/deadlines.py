"""The deadlines of pending input requests: which have passed, which come next, and how one is put off."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import InputRequest, RequestState
from webclient.store.request_rows import request_of
from webclient.store.tables import requests

_WAITS_UNTIL = and_(requests.c.state == RequestState.PENDING, requests.c.expires_at.is_not(None))


class Deadlines:
    """Queries over `requests`; the clock is that of all users together."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def run_out(self, at: datetime) -> list[InputRequest]:
        """Return the questions of all users whose deadline has passed."""
        late = select(requests).where(_WAITS_UNTIL, requests.c.expires_at <= at)
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(late)]

    async def running_out(self, until: datetime) -> list[tuple[str, str, datetime]]:
        """Return user, id and deadline of the questions of all users that run out until then."""
        near = select(requests.c.user_id, requests.c.id, requests.c.expires_at)
        async with self._engine.connect() as db:
            rows = await db.execute(near.where(_WAITS_UNTIL, requests.c.expires_at <= until))
            return [(row[0], row[1], row[2]) for row in rows]

    async def next_deadline(self, *, after: datetime) -> datetime | None:
        """Return the first deadline after that moment of all users' questions."""
        first = select(func.min(requests.c.expires_at)).where(_WAITS_UNTIL, requests.c.expires_at > after)
        async with self._engine.connect() as db:
            found: datetime | None = (await db.execute(first)).scalar_one()
        return found

    async def extend(self, user_id: str, request_id: str, expires_at: datetime) -> InputRequest | None:
        """Give a pending question another deadline and return it; None when it is settled."""
        extended = (
            update(requests)
            .where(requests.c.user_id == user_id, requests.c.id == request_id, _WAITS_UNTIL)
            .values(expires_at=expires_at)
            .returning(requests)
        )
        async with self._engine.begin() as db:
            row = (await db.execute(extended)).one_or_none()
        return request_of(row) if row else None
