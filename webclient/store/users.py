"""The users: found by issuer and subject, made when they first come, and known elsewhere by an id of our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from webclient.model import LOCAL_PERSON, LOCAL_USER, AuditAction, Person, RequestState, Role, TargetKind, User, now
from webclient.store.audit import forget_details, record
from webclient.store.calls import OPEN
from webclient.store.database import Database, UsesDatabase, reads, writes
from webclient.store.notice_tables import notice_targets, notices
from webclient.store.own_connection import scrub_after
from webclient.store.tables import browser_sessions, calls, embed_sessions, metadata, requests, servers
from webclient.store.user_tables import audit, users
from webclient.store.watched_sign_ins import WatchedSignIns


def _count(table: Table, *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(table)
        .where(table.c.user_id == users.c.id, *conditions)
        .correlate(users)
        .scalar_subquery()
    )


NOTED = timedelta(hours=1)
"""A sign-in is written at most this often: a proxy signs its users in with each request."""

_WITH_ID = users.c.id == bindparam("with_id")

_FIND = select(users).where(users.c.issuer == bindparam("of_issuer"), users.c.subject == bindparam("of_subject"))
_GET = select(users).where(_WITH_ID)
_ALL = select(users).order_by(users.c.created_at, users.c.id)
_COUNTS = select(
    users,
    _count(servers).label("server_count"),
    _count(calls, calls.c.state.in_(OPEN)).label("call_count"),
    _count(requests, requests.c.state == RequestState.PENDING).label("request_count"),
).order_by(users.c.created_at, users.c.id)
_COUNTS_OF = _COUNTS.where(_WITH_ID)
_ADD = insert(users)
_CHANGE = update(users).where(_WITH_ID)
_DROP_BROWSERS = delete(notice_targets).where(
    notice_targets.c.user_id == bindparam("of_user"), notice_targets.c.kind == TargetKind.PUSH
)


class Users(UsesDatabase):
    """The table of users. Who is disabled or deleted is in memory as well, since each request asks."""

    def __init__(self, database: Database, watched: WatchedSignIns) -> None:
        super().__init__(database)
        self._watched = watched
        self._disabled: set[str] = set()

    async def load(self) -> None:
        """Read who is disabled, before any other use."""
        self._disabled = {user.id for user in await self.all() if user.disabled_at}

    def is_disabled(self, user_id: str) -> bool:
        """Return whether the user is disabled, or was deleted since this process began."""
        return user_id in self._disabled

    @reads
    def all(self, db: Connection) -> list[User]:
        """Return all users in the order in which they first came."""
        return [user_of(row) for row in db.execute(_ALL)]

    @reads
    def counts(self, db: Connection, user_id: str | None = None) -> list[tuple[User, tuple[int, int, int]]]:
        """Return each user, or one, with the numbers of servers, open calls and pending requests."""
        rows = db.execute(_COUNTS) if user_id is None else db.execute(_COUNTS_OF, {"with_id": user_id})
        return [(user_of(row), (row.server_count, row.call_count, row.request_count)) for row in rows]

    async def disable(self, user_id: str) -> None:
        """Let a user sign in no more; end all sign-ins, and the notifications of browsers."""
        self._disabled.add(user_id)
        # Before the write as well: it may have to wait.
        self._watched.end_of_user(user_id)
        await self._disable(user_id, now())
        self._watched.end_of_user(user_id)

    async def enable(self, user_id: str) -> None:
        """Let a disabled user sign in again."""
        await self._disable(user_id, None)
        self._disabled.discard(user_id)

    @writes
    def _disable(self, db: Connection, user_id: str, at: datetime | None) -> None:
        db.execute(_CHANGE, {"with_id": user_id, "disabled_at": at})
        if at is not None:
            _erase(db, user_id, [browser_sessions, embed_sessions, notices])
            db.execute(_DROP_BROWSERS, {"of_user": user_id})
        record(db, AuditAction.USER_DISABLED if at else AuditAction.USER_ENABLED, object=user_id)

    @writes
    def erase(self, db: Connection, user_id: str) -> None:
        """Delete a user who is disabled, with every row of theirs; only the audit trail stays, without details."""
        _erase(db, user_id, [table for table in metadata.sorted_tables if table is not audit])
        forget_details(db, user_id)
        db.execute(delete(users).where(_WITH_ID), {"with_id": user_id})
        record(db, AuditAction.USER_DELETED, object=user_id)
        scrub_after(db)

    @writes
    def recognise(self, db: Connection, person: Person) -> User:
        """Return the user of a person, made or refreshed: name, e-mail and role are as the way says now."""
        found = db.execute(_FIND, {"of_issuer": person.issuer, "of_subject": person.subject}).one_or_none()
        if found is None:
            user = User(**asdict(person), signed_in_at=now())
            db.execute(_ADD, asdict(user))
            record(db, AuditAction.FIRST_SEEN, user_id=user.id, way=person.issuer, object=user.id)
            return user
        user = user_of(found)
        changed = {name: getattr(person, name) for name in ("name", "email", "role")}
        if user.signed_in_at <= now() - NOTED:
            changed["signed_in_at"] = now()
        if changed != {name: getattr(user, name) for name in changed}:
            db.execute(_CHANGE, {"with_id": user.id, **changed})
        if person.role is not user.role:
            details = {"role": person.role.value}
            record(db, AuditAction.ROLE_CHANGED, user_id=user.id, way=person.issuer, object=user.id, details=details)
        return User(**asdict(user) | changed)

    @reads
    def get(self, db: Connection, user_id: str) -> User | None:
        """Return a user, or None if there is none with this id."""
        found = db.execute(_GET, {"with_id": user_id}).one_or_none()
        return None if found is None else user_of(found)

    @reads
    def find(self, db: Connection, issuer: str, subject: str) -> User | None:
        """Return the user with this subject at the issuer, or None."""
        found = db.execute(_FIND, {"of_issuer": issuer, "of_subject": subject}).one_or_none()
        return None if found is None else user_of(found)

    @writes
    def seen(self, db: Connection, user_id: str, at: datetime) -> None:
        """Note when a user was last seen."""
        db.execute(_CHANGE, {"with_id": user_id, "seen_at": at})


def _erase(db: Connection, user_id: str, tables: Sequence[Table]) -> None:
    for table in tables:
        if "user_id" in table.columns:
            db.execute(delete(table).where(table.c.user_id == user_id))


def ensure_local_user(db: Connection) -> None:
    """Make the row of the user with the token, within a unit of work."""
    if db.execute(_GET, {"with_id": LOCAL_USER}).one_or_none() is None:
        db.execute(_ADD, asdict(User(**asdict(LOCAL_PERSON), id=LOCAL_USER)))


def user_of(row: Row[Any]) -> User:
    """Return the user of a row that has all columns of a user."""
    columns = {column.name: getattr(row, column.name) for column in users.columns}
    return User(**columns | {"role": Role(columns["role"])})
