"""The browsers that are signed in. Only a hash of each session id is stored: a stolen database signs no one in.

The hash is keyed with the token that signed the browser in, so that no session outlives a change of the token.
"""

from __future__ import annotations

import asyncio
import hmac
from datetime import timedelta
from secrets import token_urlsafe
from time import monotonic

from sqlalchemy import Connection, delete, insert, select

from webclient.model import now
from webclient.store.database import Database, UsesDatabase, reads, writes
from webclient.store.tables import browser_sessions

LIFETIME = timedelta(days=30)

LOOKED_UP = 2.0
"""Seconds for which one look into the table answers all streams of a session."""


class BrowserSessions(UsesDatabase):
    """Sessions of browsers, by their random id."""

    def __init__(self, database: Database, token: str) -> None:
        super().__init__(database)
        self._key = token.encode("utf-8", "surrogatepass")
        self._looked_up: dict[str, tuple[float, asyncio.Task[str | None]]] = {}

    @writes
    def create(self, db: Connection, user_id: str) -> str:
        """Return the id of a new session of the user, for the cookie; it is not stored."""
        session_id = token_urlsafe(32)
        row = {"session_hash": self._hash(session_id), "user_id": user_id, "expires_at": now() + LIFETIME}
        db.execute(delete(browser_sessions).where(browser_sessions.c.expires_at < now()))
        db.execute(insert(browser_sessions).values(row))
        return session_id

    @reads
    def user_of(self, db: Connection, session_id: str) -> str | None:
        """Return the user of a session; None if it is unknown or has expired."""
        row = select(browser_sessions.c.user_id).where(
            browser_sessions.c.session_hash == self._hash(session_id), browser_sessions.c.expires_at >= now()
        )
        return db.execute(row).scalar_one_or_none()

    async def still_open(self, session_id: str) -> bool:
        """Return whether the session was valid at most `LOOKED_UP` seconds ago: a thousand streams ask often."""
        looked_at, found = self._looked_up.get(session_id, (0.0, None))
        if found is None or looked_at < monotonic() - LOOKED_UP:
            found = asyncio.create_task(self.user_of(session_id))
            fresh = {id_: entry for id_, entry in self._looked_up.items() if entry[0] >= monotonic() - LOOKED_UP}
            self._looked_up = fresh | {session_id: (monotonic(), found)}
        # Shielded: a stream that ends meanwhile must not take the answer from the others.
        return await asyncio.shield(found) is not None

    @writes
    def remove(self, db: Connection, session_id: str) -> None:
        """End the session."""
        db.execute(delete(browser_sessions).where(browser_sessions.c.session_hash == self._hash(session_id)))
        self._looked_up.pop(session_id, None)

    def _hash(self, session_id: str) -> str:
        return hmac.digest(self._key, session_id.encode("utf-8", "surrogatepass"), "sha256").hex()
