"""The audit trail: rows that are only added, in the transaction of what they record.

Refused attempts to sign in are dropped again, the oldest first, because strangers make as many as they like. So are the
oldest acts of a user who has very many; what became of users and tokens stays for good.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from webclient.domain.model import (
    ACTING,
    COMMAND_LINE,
    AuditAction,
    AuditEntry,
    AuditFilter,
    Person,
    User,
    now,
)
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.sizes import about_size, fitting
from webclient.store.database.user_tables import audit, users

MOST = 200
"""Entries that are read together."""

SETTLING = timedelta(seconds=10)
"""How long an entry may take from its id until it is there: a transaction of another process is still under way."""

_ADD = insert(audit)
_WITH_USERS = select(
    audit, users.c.issuer, users.c.subject, users.c.name, users.c.email, users.c.id.label("of_user")
).join(users, users.c.id == audit.c.user_id, isouter=True)
_RECENT = select(audit.c.id).where(audit.c.at >= bindparam("settled")).order_by(audit.c.id)
_NEWEST = select(func.max(audit.c.id))
_OLDER = _NEWEST.where(audit.c.id < bindparam("before"))

MOST_REFUSED = 2000
"""Refused attempts that are kept: strangers make them, so they must not fill the table."""

MOST_OF_USER = 20_000
"""Acts of one user that are kept, besides those that stay."""

LONGEST = 200
"""Characters of a text in the details."""

MOST_NAMED = 20
"""Names in a list of the details."""

REFUSED = AuditAction.SIGN_IN_REFUSED

_STAYS = [
    action
    for action in AuditAction
    if action.value.startswith(("user_", "token_", "role_", "key_")) or action is AuditAction.FIRST_SEEN
]
_MAY_GO = audit.c.action.not_in([*_STAYS, REFUSED])


def _oldest_remaining(most: int) -> Select[tuple[int]]:
    return select(audit.c.id).where(audit.c.action == REFUSED).order_by(audit.c.id.desc()).offset(most - 1).limit(1)


_OLDEST_REMAINING = _oldest_remaining(MOST_REFUSED)
_PURGE_REFUSED = delete(audit).where(audit.c.action == REFUSED, audit.c.id < bindparam("before"))

_BUSIEST = select(audit.c.user_id).where(_MAY_GO).group_by(audit.c.user_id).having(func.count() > bindparam("most"))
_OF_USER = (_MAY_GO, audit.c.user_id == bindparam("of_user"))
_OLDEST_OF_USER = select(audit.c.id).where(*_OF_USER).order_by(audit.c.id.desc()).offset(bindparam("kept")).limit(1)
_PURGE_OF_USER = delete(audit).where(*_OF_USER, audit.c.id <= bindparam("last"))

_ABOUT_OTHERS = (
    AuditAction.TOKEN_MADE,
    AuditAction.TOKEN_REVOKED,
    AuditAction.SERVER_REMOVED,
    AuditAction.USER_ADDED,
    AuditAction.ROLE_CHANGED,
    REFUSED,
)
_WITH_DETAILS = select(audit.c.id, audit.c.user_id, audit.c.object, audit.c.details).where(
    audit.c.details.is_not(None),
    or_(audit.c.user_id == bindparam("of_user"), audit.c.user_id == "", audit.c.action.in_(_ABOUT_OTHERS)),
)
_ERASE_DETAILS = update(audit).where(audit.c.id == bindparam("with_id")).values(details=None)

LAST = 2**31 - 1
"""The largest id: that of an integer of PostgreSQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Some entries. If `is_more`, further ones follow; `last` is the id after which a reader of new entries goes on."""

    entries: list[AuditEntry]
    is_more: bool
    last: int


class Audit(UsesDatabase):
    """The trail of all users; `process` names this one among those that share the database."""

    def __init__(self, database: Database, process: str) -> None:
        super().__init__(database)
        self._process = process

    async def newest(self, before: int | None = None) -> list[AuditEntry]:
        """Return the newest entries, newest first; with `before`, those older than that id."""
        return (await self.page(AuditFilter(), before=before)).entries

    @reads
    def page(self, db: Connection, wanted: AuditFilter, *, before: int | None = None, limit: int = MOST) -> AuditPage:
        """Return entries, newest first; with `before`, those older than that id."""
        query = _WITH_USERS.where(audit.c.id < (before or LAST), *_conditions(wanted)).order_by(audit.c.id.desc())
        return _page(db, query, limit, before or LAST)

    @reads
    def since(self, db: Connection, wanted: AuditFilter, after: int, *, limit: int = MOST) -> AuditPage:
        """Return the entries after an id, oldest first.

        A reader that goes on after `last` of each page misses none: while an id is missing that another process may be
        about to write, later entries wait.
        """
        until = _complete_until(db)
        query = _WITH_USERS.where(audit.c.id > after, audit.c.id <= until, *_conditions(wanted)).order_by(audit.c.id)
        page = _page(db, query, limit, after)
        return page if page.is_more else AuditPage(entries=page.entries, is_more=False, last=max(after, until))

    async def all_since(self, wanted: AuditFilter, after: int = 0) -> AsyncIterator[AuditPage]:
        """Yield all entries after an id, oldest first, in pages; the last page has none if there is nothing new."""
        while True:
            page = await self.since(wanted, after)
            yield page
            after = page.last
            if not page.is_more:
                return

    @writes
    def add_refusal(
        self,
        db: Connection,
        *,
        user_id: str,
        way: str,
        address: str,
        code: str,
        count: int,
        issuer: str = "",
        subject: str = "",
        email: str = "",
    ) -> None:
        """Record a refused attempt to sign in, of which `count` were alike; drop the oldest of too many.

        `issuer`, `subject` and `email` are those of a person whom the way has proved.
        """
        of = {"user_id": user_id, "way": way[:32], "address": address, "outcome": code[:32]}
        proved = {"issuer": issuer, "subject": subject, "email": email}
        details = {name: _short(value) for name, value in proved.items() if value}
        repeated = str(count) if count > 1 else ""
        db.execute(_ADD, {"at": now(), "action": REFUSED, "object": repeated, "details": details or None, **of})
        oldest = db.execute(_OLDEST_REMAINING).scalar_one_or_none()
        if oldest is not None:
            db.execute(_PURGE_REFUSED, {"before": oldest})

    @writes
    def add(
        self,
        db: Connection,
        action: AuditAction,
        *,
        object: str = "",  # noqa: A002
        outcome: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record what changes no other row."""
        record(db, action, object=object, outcome=outcome, details=details)

    @writes
    def add_reload(self, db: Connection, details: Mapping[str, Any]) -> None:
        """Record that the configuration was read again, and have other processes read theirs."""
        record(db, AuditAction.CONFIG_RELOADED, details=details)
        announce(db, Topic.CONFIGURATION, self._process)

    async def purge(self, most: int = MOST_OF_USER) -> None:
        """Purge the oldest entries of users with more than `most`."""
        # Looked up as a reader: there is hardly ever something to drop, and people wait for the writer.
        for user_id in await self._busiest(most):
            await self._purge(user_id, most)

    @reads
    def _busiest(self, db: Connection, most: int) -> list[str]:
        return list(db.execute(_BUSIEST, {"most": most}).scalars())

    @writes
    def _purge(self, db: Connection, user_id: str, most: int) -> None:
        last = db.execute(_OLDEST_OF_USER, {"of_user": user_id, "kept": most}).scalar_one_or_none()
        if last is not None:
            db.execute(_PURGE_OF_USER, {"of_user": user_id, "last": last})


def record(
    db: Connection,
    action: AuditAction,
    *,
    user_id: str = "",
    way: str = "",
    object: str = "",  # noqa: A002
    outcome: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Add an entry within a unit of work, if a request is the cause; the user and way are those of the request.

    Of a flood of alike acts, `Acts` decides which have an entry. Long `details` are cut.
    """
    actor = ACTING.get(None)
    if actor is None:
        return
    # A command acts for no user: the one whom it is about has not done it.
    who = actor.user_id or ("" if actor.way == COMMAND_LINE.way else user_id)
    # What administrators do to users is never counted together: each user is to be found.
    count = 1 if action.value.startswith("user_") else actor.acts.count(who, action)
    if not count:
        return
    shown = {name: _short(value) for name, value in (details or {}).items()} | ({"count": count} if count > 1 else {})
    # An issuer, which stands for the way at a first visit, may be longer than the column.
    by = {"user_id": who, "way": (actor.way or way)[:32], "address": actor.address, "credential": actor.credential}
    db.execute(
        _ADD, {"at": now(), "action": action, "object": object, "outcome": outcome, **by, "details": shown or None}
    )


def of_another(user_id: str) -> dict[str, str]:
    """Return the detail that names the user of a row which another one changes."""
    actor = ACTING.get(None)
    return {"user": user_id} if actor and actor.user_id != user_id else {}


def erase_details(db: Connection, user: User) -> None:
    """Erase the details of a deleted user's entries.

    Those that the command line and administrators made for the user are erased as well, and those of refused sign-ins
    before the user was one.
    """
    for row in db.execute(_WITH_DETAILS, {"of_user": user.id}).all():
        named = {row.user_id, row.object, row.details.get("user")}
        if user.id in named or row.details.get("subject") == _short(user.subject):
            db.execute(_ERASE_DETAILS, {"with_id": row.id})


def _conditions(wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.user_id:
        yield or_(audit.c.user_id == wanted.user_id, audit.c.object == wanted.user_id)
    if wanted.actions:
        yield audit.c.action.in_(wanted.actions)
    if wanted.since is not None:
        yield audit.c.at >= wanted.since
    if wanted.until is not None:
        yield audit.c.at < wanted.until


def _page(db: Connection, query: Select[Any], limit: int, start: int) -> AuditPage:
    rows = db.execute(query.limit(limit + 1)).all()
    count = fitting(about_size(list(row._mapping.values())) for row in rows[:limit])
    entries = [_entry(row) for row in rows[:count]]
    return AuditPage(entries=entries, is_more=len(rows) > count, last=entries[-1].id if entries else start)


def _entry(row: Row[Any]) -> AuditEntry:
    columns = {column.name: getattr(row, column.name) for column in audit.columns}
    known = Person(issuer=row.issuer, subject=row.subject, name=row.name, email=row.email) if row.of_user else None
    return AuditEntry(**columns | {"action": AuditAction(row.action), "details": row.details or {}, "user": known})


def _complete_until(db: Connection) -> int:
    """Return the id up to which no entry is missing that may still come."""
    recent = db.execute(_RECENT, {"settled": now() - SETTLING}).scalars().all()
    if not recent:
        return db.execute(_NEWEST).scalar() or 0
    until: int = db.execute(_OLDER, {"before": recent[0]}).scalar() or 0
    for id_ in recent:
        if id_ != until + 1:
            # What has the ID in between was rolled back, or is written at this moment.
            break
        until = id_
    return until


def _short(value: Any) -> Any:
    if isinstance(value, list | tuple):
        cut = [_short(each) for each in value[:MOST_NAMED]]
        return [*cut, "…"] if len(value) > MOST_NAMED else cut
    return f"{value[:LONGEST]}…" if isinstance(value, str) and len(value) > LONGEST else value
