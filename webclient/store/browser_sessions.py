"""The browsers that are signed in. Only a hash of each session id is stored: a stolen database signs no one in.

The hash is keyed with the token if that signed the browser in, so that no such session outlives a change of the token.
"""

from __future__ import annotations

import asyncio
import hmac
from datetime import datetime, timedelta
from secrets import token_urlsafe
from time import monotonic

from sqlalchemy import Connection, bindparam, delete, insert, or_, select

from webclient.model import LOCAL_PERSON, AuditAction, BrowserSession, now
from webclient.store.audit import record
from webclient.store.database import Database, UsesDatabase, reads, writes
from webclient.store.tables import browser_sessions as table
from webclient.store.user_tables import users
from webclient.store.users import user_of

LIFETIME = timedelta(days=30)

LOOKED_UP = 2.0
"""Seconds for which one look into the table answers all streams of a session."""

LOCAL_WAY = LOCAL_PERSON.issuer
"""The way of the sessions that end with the token."""

_IS_LOCAL = table.c.way == LOCAL_WAY
_FIND = (
    select(users, table.c.way, table.c.expires_at)
    .join(table, table.c.user_id == users.c.id)
    .where(
        # Of two keys, so that a database of the one way opens no session of the other.
        or_(
            _IS_LOCAL & (table.c.session_hash == bindparam("local_hash")),
            ~_IS_LOCAL & (table.c.session_hash == bindparam("other_hash")),
        ),
        table.c.expires_at >= bindparam("at"),
        users.c.disabled_at.is_(None),
    )
)
_DROP_OLD = delete(table).where(table.c.expires_at < bindparam("at"))
_REMOVE = delete(table).where(table.c.session_hash.in_(bindparam("hashes", expanding=True)))


class BrowserSessions(UsesDatabase):
    """Sessions of browsers, by their random id."""

    def __init__(self, database: Database, token: str) -> None:
        super().__init__(database)
        self._key = token.encode("utf-8", "surrogatepass")
        self._looked_up: dict[str, tuple[float, asyncio.Task[BrowserSession | None]]] = {}

    @writes
    def create(self, db: Connection, user_id: str, way: str = LOCAL_WAY, *, ends_at: datetime | None = None) -> str:
        """Return the id of a new session of the user, for the cookie; it is not stored.

        It lasts until `ends_at`, or `LIFETIME`.
        """
        session_id = token_urlsafe(32)
        hash_ = self._hash(session_id, self._key if way == LOCAL_WAY else b"")
        row = {"session_hash": hash_, "user_id": user_id, "expires_at": ends_at or now() + LIFETIME, "way": way}
        db.execute(_DROP_OLD, {"at": now()})
        db.execute(insert(table), row)
        record(db, AuditAction.SIGNED_IN, user_id=user_id, way=way, object=user_id)
        return session_id

    @reads
    def find(self, db: Connection, session_id: str) -> BrowserSession | None:
        """Return a session; None if it is unknown or has expired, or its user is disabled."""
        local, other = self._hashes(session_id)
        row = db.execute(_FIND, {"local_hash": local, "other_hash": other, "at": now()}).one_or_none()
        return None if row is None else BrowserSession(user=user_of(row), way=row.way, ends_at=row.expires_at)

    async def still_open(self, session_id: str) -> bool:
        """Return whether the session was valid at most `LOOKED_UP` seconds ago: a thousand streams ask often."""
        looked_at, found = self._looked_up.get(session_id, (0.0, None))
        if found is None or looked_at < monotonic() - LOOKED_UP:
            found = asyncio.create_task(self.find(session_id))
            fresh = {id_: entry for id_, entry in self._looked_up.items() if entry[0] >= monotonic() - LOOKED_UP}
            self._looked_up = fresh | {session_id: (monotonic(), found)}
        # Shielded: a stream that ends meanwhile must not take the answer from the others.
        return await asyncio.shield(found) is not None

    @writes
    def remove(self, db: Connection, session_id: str) -> None:
        """End the session."""
        db.execute(_REMOVE, {"hashes": self._hashes(session_id)})
        self._looked_up.pop(session_id, None)

    def _hashes(self, session_id: str) -> list[str]:
        """Return the hashes that the session has if the token signed it in, and if another way did."""
        return [self._hash(session_id, key) for key in (self._key, b"")]

    def _hash(self, session_id: str, key: bytes) -> str:
        return hmac.digest(key, session_id.encode("utf-8", "surrogatepass"), "sha256").hex()
