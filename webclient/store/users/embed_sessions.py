"""Sessions in the frames of embedding applications, and of their agents. Only hashes of their ids are stored.

The session of an agent has no id, as each of its requests has a token. Its key is not a hash, so that no id opens it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import Connection, Delete, Row, bindparam, delete, insert, select, update

from webclient.domain.model import AGENT_PREFIX, AuditAction, Browser, EmbedSession, SignInKey, SignInKind, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.tables import embed_sessions as table
from webclient.store.database.tables import ended_embed_sessions as ended_table
from webclient.store.database.user_tables import users
from webclient.store.users.audit import record
from webclient.store.users.browser_sessions import details_of
from webclient.store.users.used_tokens import use
from webclient.store.users.user_names import user_of
from webclient.store.users.watched_sign_ins import WatchedSignIns
from webclient.support.shared_work import SharedWork

WAY = "host"
"""The way in the entries of the audit trail."""

REMEMBERED = timedelta(days=30)
"""How long it is known of a session that it was ended: a frame in a browser that slept asks late."""

STEP = timedelta(minutes=5)
"""The session of an agent is extended at most this often, so that not each request writes."""

_HASH = table.c.session_hash == bindparam("with_hash")
_FIND = (
    # The subject is that of the user, and so is the time of the first visit.
    select(users, *(column for column in table.columns if column.name not in ("user_id", "subject", "created_at")))
    .join(table, table.c.user_id == users.c.id)
    .where(_HASH, table.c.ends_at > bindparam("at"), users.c.disabled_at.is_(None))
)
_ADD = insert(table)
_EXTEND = update(table).where(
    _HASH, table.c.user_id == bindparam("of_user"), table.c.embedder == bindparam("of_embedder")
)
_GRANTED = select(table.c.scopes, table.c.origin).where(_HASH)
_END = delete(table).where(table.c.embedder == bindparam("of_embedder"))
_END_SUBJECT = _END.where(table.c.subject == bindparam("name"))
_END_HOST_SESSION = _END.where(table.c.host_session == bindparam("name"))
_END_OTHERS = _END.where(table.c.origin.not_in(bindparam("kept", expanding=True)))
_KEYS_OF = select(table.c.session_hash).where(
    table.c.embedder.in_(bindparam("names", expanding=True)),
    # Each request of an agent says what it may do.
    table.c.session_hash.not_like(f"{AGENT_PREFIX}%"),
)
_PURGE = delete(table).where(table.c.ends_at <= bindparam("at"))
_PURGE_ENDED = delete(ended_table).where(ended_table.c.forgotten_at <= bindparam("at"))
_ENDED = ended_table.c.session_hash == bindparam("with_hash")
_ENDED_BY = select(ended_table.c.embedder).where(_ENDED)
_ENDED_UNTIL = select(ended_table.c.forgotten_at).where(_ENDED)
_FORGET_ENDED = delete(ended_table).where(ended_table.c.session_hash.in_(bindparam("keys", expanding=True)))
_OF_AGENT = select(table.c.ends_at, table.c.host_session, table.c.origin).where(_HASH)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEmbedSession:
    """The session that a token begins; see `EmbedSession`."""

    user_id: str
    embedder: str
    subject: str
    host_session: str | None
    origin: str
    scopes: list[str]
    ends_at: datetime


class EmbedSessions(UsesDatabase):
    """Sessions of embedded frames, by their random id."""

    def __init__(self, database: Database, watched: WatchedSignIns) -> None:
        super().__init__(database)
        self._watched = watched
        self._found = SharedWork[EmbedSession | None]()

    async def exchange(
        self,
        session: NewEmbedSession,
        token_id: str,
        until: datetime,
        current: str | None = None,
        *,
        is_first_renewal: bool = True,
        browser: Browser | None = None,
    ) -> str | None:
        """Use a token up for a session, and return the id of that; None if the token was used before.

        With the id of a `current` session of the same user and embedder, that session goes on instead, with what the
        token says now; only its first renewal is recorded in the audit trail. An id is not stored. The list of sign-ins
        shows the `browser` of a new session, and a renewal as its last use.
        """
        session_id, is_other = await self._exchange(
            session, token_id, until, current, is_first_renewal=is_first_renewal, browser=browser
        )
        if session_id is not None and session_id == current:
            self._found.forget(_hash(session_id))
            if is_other:
                # Its pages open their streams again, with the permissions that the session has now.
                self._watched.end([SignInKey(SignInKind.FRAME, _hash(session_id))])
        return session_id

    @writes
    def _exchange(
        self,
        db: Connection,
        session: NewEmbedSession,
        token_id: str,
        until: datetime,
        current: str | None,
        *,
        is_first_renewal: bool,
        browser: Browser | None,
    ) -> tuple[str | None, bool]:
        """Return the id of the session, and whether a renewal has changed its permissions or its origin."""
        db.execute(_PURGE, {"at": now()})
        db.execute(_PURGE_ENDED, {"at": now()})
        if not use(db, session.embedder, token_id, until):
            return None, False
        columns = asdict(session)
        if current is not None:
            renewed = {name: columns[name] for name in ("host_session", "origin", "scopes", "ends_at")}
            own = {"with_hash": _hash(current), "of_user": session.user_id, "of_embedder": session.embedder}
            granted = db.execute(_GRANTED, own).one_or_none()
            if db.execute(_EXTEND, {**own, **renewed, "used_at": now()}).rowcount:
                if is_first_renewal:
                    _record(db, AuditAction.EMBED_SESSION_RENEWED, session)
                return current, granted != (session.scopes, session.origin)
        _record(db, AuditAction.EMBED_SESSION_BEGUN, session)
        return _add(db, {**columns, **details_of(browser)}), False

    @writes
    def copy(self, db: Connection, key: str, ends_at: datetime) -> str | None:
        """Return the id of a new session like the one with this key; None if that has ended."""
        row = db.execute(_FIND, {"with_hash": key, "at": now()}).one_or_none()
        if row is None:
            return None
        copied = {name: getattr(row, name) for name in ("embedder", "subject", "host_session", "origin", "scopes")}
        browser = Browser(user_agent=row.user_agent or "", address=row.address or "")
        record(
            db, AuditAction.EMBED_SESSION_BEGUN, user_id=row.id, way=WAY, object=row.embedder, details={"in_tab": True}
        )
        return _add(db, {**copied, "user_id": row.id, "ends_at": ends_at, **details_of(browser)})

    @reads
    def find(self, db: Connection, session_id: str) -> EmbedSession | None:
        """Return a session; None if it is unknown or has ended, or its user is disabled."""
        return _session(db.execute(_FIND, {"with_hash": _hash(session_id), "at": now()}).one_or_none())

    @reads
    def of_key(self, db: Connection, key: str) -> EmbedSession | None:
        """Return the session with this key, as `find` does."""
        return _session(db.execute(_FIND, {"with_hash": key, "at": now()}).one_or_none())

    @reads
    def ended_by(self, db: Connection, session_id: str) -> str | None:
        """Return the embedder of a session that was ended before its time; None if it was not, or is long gone."""
        return db.execute(_ENDED_BY, {"with_hash": _hash(session_id)}).scalar_one_or_none()

    async def of_agent(self, session: NewEmbedSession, agent: str, minted_at: datetime) -> str | None:
        """Return the key of the session of an agent, begun or extended.

        None if it was ended since the token for it was minted.
        """
        key = agent_key(session.user_id, session.embedder, agent)
        known = await self._known(key, minted_at, session.ends_at)
        if known == (session.host_session, session.origin, True):
            return key
        return key if await self._begin_agent(key, session, agent, minted_at) else None

    @reads
    def _known(
        self, db: Connection, key: str, minted_at: datetime, ends_at: datetime
    ) -> tuple[str | None, str, bool] | None:
        """Return what is stored of an agent's session, and whether that lasts; None if it must begin."""
        row = db.execute(_OF_AGENT, {"with_hash": key}).one_or_none()
        if row is None or _was_ended(db, key, minted_at):
            return None
        return row.host_session, row.origin, row.ends_at > ends_at - STEP

    @writes
    def _begin_agent(self, db: Connection, key: str, session: NewEmbedSession, agent: str, minted_at: datetime) -> bool:
        db.execute(_PURGE, {"at": now()})
        db.execute(_PURGE_ENDED, {"at": now()})
        if _was_ended(db, key, minted_at):
            return False
        columns = asdict(session)
        renewed = {name: columns[name] for name in ("host_session", "origin", "scopes", "ends_at")}
        own = {"with_hash": key, "of_user": session.user_id, "of_embedder": session.embedder}
        if db.execute(_EXTEND, {**own, **renewed, "used_at": now()}).rowcount == 0:
            details = details_of(Browser(user_agent=agent, address=""))
            db.execute(_ADD, {**columns, **details, "session_hash": key})
            record(
                db,
                AuditAction.EMBED_SESSION_BEGUN,
                user_id=session.user_id,
                way=WAY,
                object=session.embedder,
                details={"agent": agent},
            )
        return True

    @reads
    def was_ended(self, db: Connection, key: str, since: datetime) -> bool:
        """Return whether the session of an agent was ended since then."""
        return _was_ended(db, key, since)

    async def still_open(self, session_id: str) -> EmbedSession | None:
        """Return the session as `find` does, as of a second ago: the streams of a user ask often."""
        return await self._found.get(_hash(session_id), lambda: self.find(session_id))

    def tell_ended(self, keys: Iterable[str]) -> None:
        """Notify the streams of ended sessions, and forget these, by their keys."""
        for key in keys:
            self._found.forget(key)
            self._watched.end([SignInKey(SignInKind.FRAME, key)])

    async def end(self, embedder: str, *, subject: str | None = None, host_session: str | None = None) -> int:
        """End the sessions of a subject or of a session of the embedder; return how many."""
        ended = await self._end(embedder, subject, host_session)
        self.tell_ended(ended)
        return len(ended)

    @writes
    def _end(self, db: Connection, embedder: str, subject: str | None, host_session: str | None) -> list[str]:
        ended: list[str] = []
        if subject is not None:
            ended += end(db, _END_SUBJECT, {"of_embedder": embedder, "name": subject})
        if host_session is not None:
            ended += end(db, _END_HOST_SESSION, {"of_embedder": embedder, "name": host_session})
        record(db, AuditAction.EMBED_SESSIONS_ENDED, way=WAY, object=embedder, outcome=str(len(ended)))
        return ended

    async def end_all_but(self, origins: Mapping[str, Collection[str]]) -> None:
        """End the sessions of these embedders, except those of pages with these `origins`."""
        if origins:
            self.tell_ended(await self._end_all_but(origins))

    @writes
    def _end_all_but(self, db: Connection, origins: Mapping[str, Collection[str]]) -> list[str]:
        ended: list[str] = []
        for embedder, remaining in origins.items():
            keys = end(db, _END_OTHERS, {"of_embedder": embedder, "kept": list(remaining)})
            if keys:
                record(db, AuditAction.EMBED_SESSIONS_ENDED, way=WAY, object=embedder, outcome=str(len(keys)))
            ended += keys
        return ended

    async def reopen(self, embedders: Collection[str]) -> None:
        """End the streams of these embedders' sessions; their pages open them again, with what they may do now."""
        if embedders:
            self.tell_ended(await self._keys_of(embedders))

    @reads
    def _keys_of(self, db: Connection, embedders: Collection[str]) -> list[str]:
        return list(db.execute(_KEYS_OF, {"names": list(embedders)}).scalars())

    def hash(self, session_id: str) -> str:
        """Return the hash that is stored of a session's id."""
        return _hash(session_id)


def end(db: Connection, which: Delete, values: Mapping[str, Any]) -> list[str]:
    """End sessions within a unit of work, and note that they were ended; return their keys."""
    ended = db.execute(which.returning(table.c.session_hash, table.c.user_id, table.c.embedder), values).all()
    if ended:
        forgotten_at = now() + REMEMBERED
        # Those of agents may have been ended before.
        db.execute(_FORGET_ENDED, {"keys": [row.session_hash for row in ended]})
        db.execute(insert(ended_table), [{**row._mapping, "forgotten_at": forgotten_at} for row in ended])
        announce(db, Topic.SIGN_INS)
    return [row.session_hash for row in ended]


def agent_key(user_id: str, embedder: str, agent: str) -> str:
    """Return the key of the session of an application's agent that acts for this user."""
    return AGENT_PREFIX + sha256(f"{user_id}\n{embedder}\n{agent}".encode()).hexdigest()[:56]


def _was_ended(db: Connection, key: str, since: datetime) -> bool:
    forgotten_at = db.execute(_ENDED_UNTIL, {"with_hash": key}).scalar_one_or_none()
    return forgotten_at is not None and forgotten_at - REMEMBERED >= since


def _record(db: Connection, action: AuditAction, session: NewEmbedSession) -> None:
    record(db, action, user_id=session.user_id, way=WAY, object=session.embedder)


def _add(db: Connection, columns: dict[str, Any]) -> str:
    session_id = token_urlsafe(32)
    db.execute(_ADD, {**columns, "session_hash": _hash(session_id)})
    return session_id


def _session(row: Row[Any] | None) -> EmbedSession | None:
    if row is None:
        return None
    return EmbedSession(
        key=row.session_hash,
        user=user_of(row),
        embedder=row.embedder,
        subject=row.subject,
        host_session=row.host_session,
        origin=row.origin,
        scopes=frozenset(row.scopes),
        ends_at=row.ends_at,
    )


def _hash(session_id: str) -> str:
    return sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
