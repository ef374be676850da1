"""The sign-ins of a user that go on, in browsers and in frames of embedding applications: listed, and ended.

A session is named by a digest of its stored hash, so that no page has what a cookie is compared with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import sha256

from sqlalchemy import Connection, Table, bindparam, delete, or_, select

from webclient.domain.model import AGENT_PREFIX, LOCAL_USER, AuditAction, Browser, OpenSession, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.tables import browser_sessions, embed_sessions
from webclient.store.users.audit import record
from webclient.store.users.browser_sessions import BrowserSessions
from webclient.store.users.embed_sessions import WAY, EmbedSessions, end

_BROWSERS = select(browser_sessions).where(
    browser_sessions.c.user_id == bindparam("of_user"),
    browser_sessions.c.expires_at >= bindparam("at"),
    or_(browser_sessions.c.idle_at.is_(None), browser_sessions.c.idle_at >= bindparam("at")),
)
_FRAMES = select(embed_sessions).where(
    embed_sessions.c.user_id == bindparam("of_user"), embed_sessions.c.ends_at > bindparam("at")
)


class OpenSessions(UsesDatabase):
    """The sign-ins of each user. One that has ended opens nothing from then on."""

    def __init__(self, database: Database, browsers: BrowserSessions, frames: EmbedSessions) -> None:
        super().__init__(database)
        self._browsers = browsers
        self._frames = frames

    @reads
    def of(self, db: Connection, user_id: str, own: str | None = None) -> list[OpenSession]:
        """Return the sign-ins of a user, the last used first; `own` is the id of the session that asks."""
        of_own = {*self._browsers.hashes(own), self._frames.hash(own)} if own else set()
        found = [each for _table, _hash, each in _open(db, user_id, of_own)]
        return sorted(found, key=lambda each: (each.is_own, each.used_at or each.ends_at), reverse=True)

    def name_of(self, session_id: str, user_id: str, *, in_frame: bool = False) -> str:
        """Return the id of a user's session in the list of sign-ins."""
        # The token signs in its one user alone, whom no other way signs in.
        local, other = self._browsers.hashes(session_id)
        return _listed(self._frames.hash(session_id) if in_frame else local if user_id == LOCAL_USER else other)

    async def end(self, user_id: str, ids: Collection[str]) -> int:
        """End those sign-ins of a user that have these ids; return how many there were."""
        ended = await self._end(user_id, ids)
        # After the write: what was looked up before it must not be believed any longer.
        self._browsers.tell_ended(hash_ for table, hash_ in ended if table is browser_sessions)
        self._frames.tell_ended(hash_ for table, hash_ in ended if table is embed_sessions)
        return len(ended)

    @writes
    def _end(self, db: Connection, user_id: str, ids: Collection[str]) -> list[tuple[Table, str]]:
        found = [(table, hash_) for table, hash_, each in _open(db, user_id, set()) if each.id in ids]
        for table, hash_ in found:
            which = delete(table).where(table.c.session_hash == hash_, table.c.user_id == user_id)
            if table is embed_sessions:
                end(db, which, {})
            else:
                db.execute(which)
        if found:
            announce(db, Topic.SIGN_INS)
            record(db, AuditAction.SIGN_INS_ENDED, user_id=user_id, object=user_id, outcome=str(len(found)))
        return found


def _listed(session_hash: str) -> str:
    return sha256(f"listed {session_hash}".encode()).hexdigest()[:32]


def _open(db: Connection, user_id: str, own: Collection[str]) -> Iterator[tuple[Table, str, OpenSession]]:
    for table, query in ((browser_sessions, _BROWSERS), (embed_sessions, _FRAMES)):
        for row in db.execute(query, {"of_user": user_id, "at": now()}).all():
            is_frame = table is embed_sessions
            is_agent = row.session_hash.startswith(AGENT_PREFIX)
            yield (
                table,
                row.session_hash,
                OpenSession(
                    id=_listed(row.session_hash),
                    way=WAY if is_frame else row.way,
                    embedder=row.embedder if is_frame else "",
                    agent=row.user_agent or "" if is_agent else "",
                    browser=Browser(user_agent="" if is_agent else row.user_agent or "", address=row.address or ""),
                    created_at=row.created_at,
                    used_at=row.used_at,
                    ends_at=row.ends_at if is_frame else row.expires_at,
                    is_own=row.session_hash in own,
                ),
            )
