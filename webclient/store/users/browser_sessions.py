"""The browsers that are signed in. Only a hash of each session id is stored: a stolen database signs no one in.

The hash is keyed with the token if that signed the browser in, so that no such session outlives a change of the token.
A session with an idle time ends when no request and no open stream has asked for it that long. When and from where a
browser signed in is kept for the list of sign-ins, and ends with the session.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from webclient.domain.model import LOCAL_PERSON, AuditAction, Browser, BrowserSession, SignInKey, SignInKind, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import browser_sessions as table
from webclient.store.database.user_tables import users
from webclient.store.users.audit import record
from webclient.store.users.user_names import user_of
from webclient.store.users.watched_sign_ins import IDLE_STEP, USED_STEP, WatchedSignIns

LIFETIME = timedelta(days=30)

LONGEST = 255
"""Characters of a browser's name for itself, and of an address."""

LOCAL_WAY = LOCAL_PERSON.issuer
"""The way of the sessions that end with the token."""

_IS_LOCAL = table.c.way == LOCAL_WAY
_FIND = (
    select(
        users,
        table.c.way,
        table.c.expires_at,
        table.c.idle_seconds,
        table.c.idle_at,
        table.c.used_at,
        table.c.session_hash,
    )
    .join(table, table.c.user_id == users.c.id)
    .where(
        # Of two keys, so that a database of the one way opens no session of the other.
        or_(
            _IS_LOCAL & (table.c.session_hash == bindparam("local_hash")),
            ~_IS_LOCAL & (table.c.session_hash == bindparam("other_hash")),
        ),
        table.c.expires_at >= bindparam("at"),
        or_(table.c.idle_at.is_(None), table.c.idle_at >= bindparam("at")),
        users.c.disabled_at.is_(None),
    )
)
_PURGE = delete(table).where(table.c.expires_at < bindparam("at"))
_HASHES = table.c.session_hash.in_(bindparam("hashes", expanding=True))
_USERS = select(table.c.user_id).where(_HASHES)
_REMOVE = delete(table).where(_HASHES)
_USE = update(table).where(table.c.session_hash == bindparam("with_hash"))
_OF_ISSUER = (
    select(table.c.session_hash, table.c.user_id)
    .join(users, table.c.user_id == users.c.id)
    .where(users.c.issuer == bindparam("of_issuer"))
)
_OF_SUBJECT = _OF_ISSUER.where(users.c.subject == bindparam("of_subject"))
_OF_SESSION = _OF_ISSUER.where(table.c.provider_session == bindparam("of_session"))
_OF_BOTH = _OF_SUBJECT.where(
    or_(table.c.provider_session == bindparam("of_session"), table.c.provider_session.is_(None))
)


Changes = dict[str, datetime]
"""Columns of a session, with their new values."""


class BrowserSessions(UsesDatabase):
    """Sessions of browsers, by their random id."""

    def __init__(self, database: Database, token: str, watched: WatchedSignIns) -> None:
        super().__init__(database)
        self._key = token.encode("utf-8", "surrogatepass")
        self._watched = watched

    @writes
    def create(
        self,
        db: Connection,
        user_id: str,
        way: str = LOCAL_WAY,
        *,
        ends_at: datetime | None = None,
        idle: timedelta | None = None,
        provider_session: str | None = None,
        browser: Browser | None = None,
    ) -> str:
        """Return the id of a new session of the user, for the cookie; it is not stored.

        It lasts until `ends_at`, or `LIFETIME`, and ends sooner when it is not used for `idle`. The OpenID provider
        knows it as `provider_session`. The list of sign-ins shows its `browser`.
        """
        session_id = token_urlsafe(32)
        hash_ = self._hash(session_id, self._key if way == LOCAL_WAY else b"")
        row = {"session_hash": hash_, "user_id": user_id, "expires_at": ends_at or now() + LIFETIME, "way": way}
        row |= {"provider_session": provider_session, **details_of(browser)}
        if idle is not None:
            row |= {"idle_seconds": round(idle.total_seconds()), "idle_at": now() + idle}
        db.execute(_PURGE, {"at": now()})
        db.execute(insert(table), row)
        record(db, AuditAction.SIGNED_IN, user_id=user_id, way=way, object=user_id)
        return session_id

    async def find(self, session_id: str) -> BrowserSession | None:
        """Return a session, which is in use; None if it is unknown or has ended, or its user is disabled."""
        found = await self._find(session_id)
        if found is None:
            return None
        session, noted = found
        if noted is not None:
            # What can be read goes on while nothing can be written.
            with suppress(StorageError):
                await self._use(*noted)
        return session

    @reads
    def _find(self, db: Connection, session_id: str) -> tuple[BrowserSession, tuple[str, Changes] | None] | None:
        """Return a session; with its hash and what is to be written of its use, if anything is."""
        local, other = self.hashes(session_id)
        row = db.execute(_FIND, {"local_hash": local, "other_hash": other, "at": now()}).one_or_none()
        if row is None:
            return None
        changes: Changes = {}
        if row.idle_seconds is not None:
            idle_at = now() + timedelta(seconds=row.idle_seconds)
            changes = {"idle_at": idle_at, "used_at": now()} if idle_at - row.idle_at >= IDLE_STEP else {}
        elif row.used_at is None or now() - row.used_at >= USED_STEP:
            changes = {"used_at": now()}
        noted = (row.session_hash, changes) if changes else None
        return BrowserSession(key=row.session_hash, user=user_of(row), way=row.way, ends_at=row.expires_at), noted

    @writes
    def _use(self, db: Connection, session_hash: str, changes: Changes) -> None:
        db.execute(_USE, {"with_hash": session_hash, **changes})

    async def remove(self, session_id: str) -> None:
        """End the session."""
        hashes = self.hashes(session_id)
        await self._remove(hashes)
        self.tell_ended(hashes)

    def tell_ended(self, hashes: Iterable[str]) -> None:
        """Notify the streams of ended sessions, by their hashes."""
        self._watched.end(SignInKey(SignInKind.BROWSER, hash_) for hash_ in hashes)

    @writes
    def _remove(self, db: Connection, hashes: Sequence[str]) -> None:
        user_id = db.execute(_USERS, {"hashes": hashes}).scalar()
        if user_id is not None:
            db.execute(_REMOVE, {"hashes": hashes})
            announce(db, Topic.SIGN_INS)
            record(db, AuditAction.SIGNED_OUT, user_id=user_id, object=user_id)

    async def end_of_provider(self, issuer: str, *, subject: str | None, provider_session: str | None) -> set[str]:
        """End the sessions of a subject, of a session of the provider, or of both; return their users."""
        ended = await self._end_of_provider(issuer, subject, provider_session)
        self.tell_ended(ended)
        return set(ended.values())

    @writes
    def _end_of_provider(
        self, db: Connection, issuer: str, subject: str | None, provider_session: str | None
    ) -> dict[str, str]:
        """End these sessions; return the user of each hash."""
        query = _OF_BOTH if subject and provider_session else _OF_SUBJECT if subject else _OF_SESSION
        given = {"of_issuer": issuer, "of_subject": subject, "of_session": provider_session}
        found = db.execute(query, {name: value for name, value in given.items() if value}).all()
        if found:
            db.execute(_REMOVE, {"hashes": [row.session_hash for row in found]})
            announce(db, Topic.SIGN_INS)
        for user_id in {row.user_id for row in found}:
            record(db, AuditAction.SIGNED_OUT, user_id=user_id, object=user_id, outcome="by_provider")
        return {row.session_hash: row.user_id for row in found}

    @writes
    def remove_local(self, db: Connection) -> None:
        """End all sessions that the token signed in, when the token has changed: their cookies open nothing."""
        db.execute(delete(table).where(_IS_LOCAL))
        announce(db, Topic.SIGN_INS)

    def hashes(self, session_id: str) -> list[str]:
        """Return the two hashes of a session: if the token signed it in, and if not."""
        return [self._hash(session_id, key) for key in (self._key, b"")]

    def _hash(self, session_id: str, key: bytes) -> str:
        return hmac.digest(key, session_id.encode("utf-8", "surrogatepass"), "sha256").hex()


def details_of(browser: Browser | None) -> dict[str, datetime | str]:
    """Return the columns of a session that begins now, for the list of sign-ins."""
    named = browser or Browser()
    texts = {"user_agent": named.user_agent[:LONGEST], "address": named.address[:LONGEST]}
    return {"created_at": now(), "used_at": now(), **texts}
