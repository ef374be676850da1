"""The browsers that are signed in. Only a hash of each session id is kept: a stolen database signs nobody in."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import now
from webclient.store.tables import sign_ins

LIFETIME = timedelta(days=30)


class SignIns:
    """Sessions by their random id."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def create(self, user_id: str) -> str:
        """Return the id of a new session of the user; it goes into the cookie and is not kept."""
        session_id = token_urlsafe(32)
        row = {"session_hash": _hash(session_id), "user_id": user_id, "expires_at": now() + LIFETIME}
        async with self._engine.begin() as db:
            await db.execute(delete(sign_ins).where(sign_ins.c.expires_at < now()))
            await db.execute(insert(sign_ins).values(row))
        return session_id

    async def user_of(self, session_id: str) -> str | None:
        """Return whose session this is, or None when there is none or it has run out."""
        row = select(sign_ins.c.user_id).where(
            sign_ins.c.session_hash == _hash(session_id), sign_ins.c.expires_at >= now()
        )
        async with self._engine.connect() as db:
            return (await db.execute(row)).scalar_one_or_none()

    async def remove(self, session_id: str) -> None:
        """End the session."""
        async with self._engine.begin() as db:
            await db.execute(delete(sign_ins).where(sign_ins.c.session_hash == _hash(session_id)))


def _hash(session_id: str) -> str:
    return sha256(session_id.encode()).hexdigest()
