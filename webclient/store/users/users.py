"""The users: found by issuer and subject, made when they first come, and known elsewhere by an id of our own.

Administrators add users who have not come yet, by subject or by e-mail address. Such a row is taken over by the first
sign-in that proves the subject or, for a row without one, the address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    LOCAL_ISSUER,
    LOCAL_PERSON,
    LOCAL_USER,
    NO_SUBJECT,
    AuditAction,
    Person,
    RequestState,
    Role,
    TargetKind,
    User,
    has_words,
    new_id,
    now,
)
from webclient.store.calls.calls import OPEN
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.notice_tables import notice_targets, notices
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import (
    browser_sessions,
    calls,
    embed_sessions,
    ended_embed_sessions,
    metadata,
    requests,
    servers,
)
from webclient.store.database.user_tables import audit, saved_identities, users
from webclient.store.users.audit import erase_details, record
from webclient.store.users.user_names import find_awaited, find_by_email, find_by_subject, insert_user, user_of
from webclient.store.users.watched_sign_ins import WatchedSignIns


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

MOST_AWAITED = 10_000
"""Users whom administrators have added and who have not come yet."""

AT_ONCE = 500
"""Users in one statement."""

_WITH_ID = users.c.id == bindparam("with_id")

_GET = select(users).where(_WITH_ID)
_ALL = select(users).order_by(users.c.created_at, users.c.id)
_COUNTS = select(
    users,
    _count(servers).label("server_count"),
    _count(calls, calls.c.state.in_(OPEN)).label("call_count"),
    _count(requests, requests.c.state == RequestState.PENDING).label("request_count"),
).order_by(users.c.created_at, users.c.id)
_COUNTS_OF = _COUNTS.where(users.c.id.in_(bindparam("ids", expanding=True)))
_PLACE = select(users.c.created_at, users.c.id).where(_WITH_ID)
_PLACES = select(users.c.id).order_by(users.c.created_at, users.c.id)
_NAMED = select(users).where(users.c.id.in_(bindparam("ids", expanding=True)))
_ADMINS = (
    select(users.c.id)
    .where(users.c.role == Role.ADMIN, users.c.issuer != LOCAL_ISSUER, users.c.disabled_at.is_(None))
    .order_by(users.c.id)
)
# Another process that disables one of them at the same time waits, and looks again then.
_LOCKED_ADMINS = _ADMINS.with_for_update()
_SHUT_OUT = select(users.c.id, users.c.erasing_at).where(users.c.disabled_at.is_not(None))
_EXISTING = select(users.c.id).where(users.c.id.in_(bindparam("ids", expanding=True)))
_AWAITED = users.c.signed_in_at.is_(None)
_COUNT_AWAITED = select(func.count()).where(_AWAITED)
_CHANGE = update(users).where(_WITH_ID)
_REMOVE_BROWSERS = delete(notice_targets).where(
    notice_targets.c.user_id == bindparam("of_user"), notice_targets.c.kind == TargetKind.PUSH
)


Counts = tuple[int, int, int]
"""The servers, open calls and pending requests of a user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFilter:
    """The users that are wanted: those of whom each word of `query` is in a name, and who are `disabled`, or not."""

    query: str = ""
    disabled: bool | None = None

    @property
    def conditions(self) -> Sequence[ColumnElement[bool]]:
        """The conditions that a database can check."""
        if self.disabled is None:
            return ()
        return (users.c.disabled_at.is_not(None) if self.disabled else users.c.disabled_at.is_(None),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedUsers:
    """The ids of the users whom another process has disabled, enabled, or wants deleted."""

    disabled: Sequence[str] = ()
    enabled: Sequence[str] = ()
    erasing: Sequence[str] = ()


class Users(UsesDatabase):
    """The table of users. Who is disabled or deleted is in memory as well, since each request asks.

    A command changes the table beside the program, which learns of that by `look`.
    """

    def __init__(self, database: Database, watched: WatchedSignIns) -> None:
        super().__init__(database)
        self._watched = watched
        self._disabled: set[str] = set()
        self._erased: set[str] = set()
        self._changes = 0
        self._changing = 0

    async def load(self) -> None:
        """Read who is disabled, before any other use."""
        found, _existing = await self._shut_out(())
        self._disabled = set(found)

    def is_disabled(self, user_id: str) -> bool:
        """Return whether the user is disabled, or was deleted since this process began."""
        return user_id in self._disabled or user_id in self._erased

    @reads
    def all(self, db: Connection) -> list[User]:
        """Return all users in the order in which they first came."""
        return [user_of(row) for row in db.execute(_ALL)]

    @reads
    def page(
        self, db: Connection, wanted: UserFilter, *, after: str | None = None, limit: int | None = None
    ) -> tuple[list[tuple[User, Counts]], bool]:
        """Return users with their counts, oldest first, and whether there are more.

        With `after`, those after the user with this id, who may be deleted by now. Raises NotFoundError then.
        """
        query = _PLACES.where(*wanted.conditions)
        if after is not None:
            place = db.execute(_PLACE, {"with_id": after}).one_or_none()
            if place is None:
                raise NotFoundError(_("This user does not exist. They may have been deleted."))
            is_later = and_(users.c.created_at == place.created_at, users.c.id > place.id)
            # In these words an index finds the place, which it does not for the two comparisons alone.
            not_before = users.c.created_at >= place.created_at
            query = query.where(not_before, or_(users.c.created_at > place.created_at, is_later))
        found: list[str] = []
        if wanted.query:
            # Names are compared here: a database knows no case of letters beyond ASCII.
            for row in db.execute(query.add_columns(users.c.name, users.c.email, users.c.subject)):
                if has_words(wanted.query, row.name, row.email, row.subject):
                    found.append(row.id)
                    if limit is not None and len(found) > limit:
                        break
        else:
            found += db.execute(query.limit(limit + 1 if limit is not None else None)).scalars()
        return list(_counted(db, found[:limit])), limit is not None and len(found) > limit

    @reads
    def ids(self, db: Connection) -> frozenset[str]:
        """Return the ids of all users."""
        return frozenset(db.execute(select(users.c.id)).scalars())

    @reads
    def shown_names(self, db: Connection, ids: Collection[str]) -> dict[str, str]:
        """Return the names of those of the users who exist, by id."""
        found = (row for some in _parts(sorted(ids)) for row in db.execute(_NAMED, {"ids": some}))
        return {row.id: user_of(row).shown_name for row in found}

    @reads
    def counts(self, db: Connection, user_id: str) -> tuple[User, Counts] | None:
        """Return a user with the numbers of servers, open calls and pending requests, or None."""
        return next(_counted(db, [user_id]), None)

    async def disable(self, user_id: str, *, even_last: bool = False) -> None:
        """Let a user sign in no more; end all sign-ins, and the notifications of browsers.

        Raises ConflictError for the last administrator who can sign in, unless `even_last`.
        """
        if not even_last:
            # First: nothing has ended if it is refused.
            await self._check_not_last(user_id)
        was_disabled = user_id in self._disabled
        self._changing += 1
        try:
            self._disabled.add(user_id)
            # Before the write as well: it may have to wait.
            self._watched.end_of_user(user_id)
            await self._disable(user_id, now(), even_last=even_last)
            self._watched.end_of_user(user_id)
        except ConflictError:
            if not was_disabled:
                self._disabled.discard(user_id)
            raise
        finally:
            self._changing -= 1
            self._changes += 1

    async def enable(self, user_id: str) -> None:
        """Let a disabled user sign in again."""
        self._changing += 1
        try:
            await self._disable(user_id, None)
            self._disabled.discard(user_id)
        finally:
            self._changing -= 1
            self._changes += 1

    @writes
    def _disable(self, db: Connection, user_id: str, at: datetime | None, *, even_last: bool = True) -> None:
        if not even_last:
            # Again: two administrators may disable each other at the same time.
            _check_not_last(db, user_id, _LOCKED_ADMINS)
        changed = db.execute(_CHANGE.where(_differs(at)), {"with_id": user_id, "disabled_at": at, "erasing_at": None})
        if at is not None:
            _erase(db, user_id, [browser_sessions, embed_sessions, ended_embed_sessions, saved_identities, notices])
            db.execute(_REMOVE_BROWSERS, {"of_user": user_id})
            scrub_after(db)
        announce(db, Topic.USERS)
        if changed.rowcount:
            record(db, AuditAction.USER_DISABLED if at else AuditAction.USER_ENABLED, object=user_id)

    @reads
    def _check_not_last(self, db: Connection, user_id: str) -> None:
        _check_not_last(db, user_id, _ADMINS)

    @writes
    def want_erased(self, db: Connection, user_id: str) -> None:
        """Have a disabled user deleted by the program, at its next look."""
        db.execute(_CHANGE.where(users.c.disabled_at.is_not(None)), {"with_id": user_id, "erasing_at": now()})
        announce(db, Topic.USERS)

    async def erase(self, user_id: str) -> None:
        """Erase a user who is disabled, with every row of theirs; only the audit trail stays, without details."""
        self._erased.add(user_id)
        try:
            await self._erase_rows(user_id)
        except StorageError:
            self._erased.discard(user_id)
            raise

    @writes
    def _erase_rows(self, db: Connection, user_id: str) -> None:
        user = db.execute(_GET, {"with_id": user_id}).one_or_none()
        _erase(db, user_id, [table for table in metadata.sorted_tables if table is not audit])
        if user is not None:
            erase_details(db, user_of(user))
        db.execute(delete(users).where(_WITH_ID), {"with_id": user_id})
        record(db, AuditAction.USER_DELETED, object=user_id)
        announce(db, Topic.USERS)
        announce(db, Topic.ERASED)
        scrub_after(db)

    async def look(self) -> ChangedUsers:
        """Learn whom another process has disabled or enabled; end what is open of those who are disabled now.

        Raises StorageError.
        """
        before = self._changes
        found, existing = await self._shut_out(tuple(self._disabled))
        if self._changing or self._changes != before:
            # What was read may be older than what this process has changed meanwhile: the next look tells.
            return ChangedUsers()
        disabled = [user_id for user_id in found if user_id not in self._disabled]
        gone = self._disabled - found.keys()
        self._disabled = set(found)
        self._erased |= gone - existing
        for user_id in disabled:
            self._watched.end_of_user(user_id)
        return ChangedUsers(
            disabled=tuple(disabled),
            enabled=tuple(user_id for user_id in gone if user_id in existing),
            erasing=tuple(user_id for user_id, is_erasing in found.items() if is_erasing),
        )

    @reads
    def _shut_out(self, db: Connection, known: Sequence[str]) -> tuple[dict[str, bool], set[str]]:
        """Return who is disabled, with whether they are to be deleted, and who else of the `known` exists."""
        found = {row.id: row.erasing_at is not None for row in db.execute(_SHUT_OUT)}
        others = [user_id for user_id in known if user_id not in found]
        existing = {id_ for some in _parts(others) for id_ in db.execute(_EXISTING, {"ids": some}).scalars()}
        return found, existing

    @writes
    def add(self, db: Connection, person: Person) -> tuple[User, bool]:
        """Add a user who has not come yet.

        They are known by the subject or, without one, by the e-mail address.

        Return the user, and whether they are new: one who is known already stays as they are. Raises ConflictError if
        the address is that of several users, and if too many are awaited.
        """
        known = find_by_subject(db, person) if person.subject else find_by_email(db, person)
        if known is not None:
            return known, False
        if db.execute(_COUNT_AWAITED).scalar_one() >= MOST_AWAITED:
            message = _("There are {n} users who have not signed in yet, which is the limit.")
            raise ConflictError(message.format(n=MOST_AWAITED))
        subject = person.subject or NO_SUBJECT + new_id()
        user = User(**asdict(replace(person, subject=subject, role=Role.USER)), signed_in_at=None)
        if known := insert_user(db, user):
            return known, False
        known_by = {"subject": person.subject} if person.subject else {}
        details = {"issuer": user.issuer, **known_by, **({"email": user.email} if user.email else {})}
        record(db, AuditAction.USER_ADDED, object=user.id, details=details)
        return user, True

    @writes
    def recognise(self, db: Connection, person: Person) -> User:
        """Return the user of a person, made or refreshed: name, e-mail and role are as the way says now."""
        user = find_by_subject(db, person) or find_awaited(db, person)
        if user is None:
            made = User(**asdict(person), signed_in_at=now())
            user = insert_user(db, made)
            if user is None:
                record(db, AuditAction.FIRST_SEEN, user_id=made.id, way=person.issuer, object=made.id)
                return made
        changed = {name: getattr(person, name) for name in ("subject", "name", "email", "role")}
        if user.signed_in_at is None or user.signed_in_at <= now() - NOTED:
            changed["signed_in_at"] = now()
        if changed != {name: getattr(user, name) for name in changed}:
            db.execute(_CHANGE, {"with_id": user.id, **changed})
        if user.is_awaited:
            record(db, AuditAction.FIRST_SEEN, user_id=user.id, way=person.issuer, object=user.id)
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
        return find_by_subject(db, Person(issuer=issuer, subject=subject))

    @reads
    def find_by_email(self, db: Connection, issuer: str, email: str) -> User | None:
        """Return the user with this e-mail address at the issuer, or None.

        Raises ConflictError if it is that of several users.
        """
        return find_by_email(db, Person(issuer=issuer, subject="", email=email))

    @writes
    def seen(self, db: Connection, user_id: str, at: datetime) -> None:
        """Note when a user was last seen."""
        db.execute(_CHANGE, {"with_id": user_id, "seen_at": at})


def _erase(db: Connection, user_id: str, tables: Sequence[Table]) -> None:
    for table in tables:
        if "user_id" in table.columns:
            db.execute(delete(table).where(table.c.user_id == user_id))


def _differs(at: datetime | None) -> ColumnElement[bool]:
    """Return the condition that a user is not disabled, or enabled, already."""
    if at is not None:
        return users.c.disabled_at.is_(None)
    return or_(users.c.disabled_at.is_not(None), users.c.erasing_at.is_not(None))


def _check_not_last(db: Connection, user_id: str, query: Select[Any]) -> None:
    """Raise ConflictError if the user is the last administrator who can sign in, beside the user of the token."""
    if list(db.execute(query).scalars()) == [user_id]:
        raise ConflictError(
            _("This is the last administrator who can sign in. Another one has to sign in before that.")
        )


def _counted(db: Connection, ids: Sequence[str]) -> Iterator[tuple[User, Counts]]:
    for some in _parts(ids):
        for row in db.execute(_COUNTS_OF, {"ids": some}):
            yield user_of(row), (row.server_count, row.call_count, row.request_count)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(ids), AT_ONCE):
        yield ids[first : first + AT_ONCE]


def ensure_local_user(db: Connection) -> None:
    """Make the row of the user with the token, within a unit of work."""
    if db.execute(_GET, {"with_id": LOCAL_USER}).one_or_none() is None:
        insert_user(db, User(**asdict(LOCAL_PERSON), id=LOCAL_USER))
