"""The audit trail: rows that are only added, in the transaction of what they record.

Refused attempts to sign in are dropped again, the oldest first, because strangers make as many as they like. So are the
oldest acts of a user who has very many; what became of users and tokens stays for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, or_, select, update

from webclient.model import ACTING, AuditAction, AuditEntry, now
from webclient.store.database import UsesDatabase, reads, writes
from webclient.store.user_tables import audit

MOST = 200
"""Entries that are read together."""

_ADD = insert(audit)
_NEWEST = select(audit).where(audit.c.id < bindparam("before")).order_by(audit.c.id.desc()).limit(MOST)

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
_DROP_REFUSED = delete(audit).where(audit.c.action == REFUSED, audit.c.id < bindparam("before"))

_BUSIEST = select(audit.c.user_id).where(_MAY_GO).group_by(audit.c.user_id).having(func.count() > bindparam("most"))
_OF_USER = (_MAY_GO, audit.c.user_id == bindparam("of_user"))
_OLDEST_OF_USER = select(audit.c.id).where(*_OF_USER).order_by(audit.c.id.desc()).offset(bindparam("kept")).limit(1)
_DROP_OF_USER = delete(audit).where(*_OF_USER, audit.c.id <= bindparam("last"))

_WITH_DETAILS = select(audit.c.id, audit.c.user_id, audit.c.details).where(
    audit.c.details.is_not(None), or_(audit.c.user_id == bindparam("of_user"), audit.c.user_id == "")
)
_FORGET = update(audit).where(audit.c.id == bindparam("with_id")).values(details=None)

LAST = 2**31 - 1
"""The largest id: that of an integer of PostgreSQL."""


class Audit(UsesDatabase):
    """The trail of all users."""

    @reads
    def newest(self, db: Connection, before: int | None = None) -> list[AuditEntry]:
        """Return the newest entries, newest first; with `before`, those older than that id."""
        rows = db.execute(_NEWEST, {"before": before or LAST})
        typed = ({**row._mapping, "action": AuditAction(row.action), "details": row.details or {}} for row in rows)
        return [AuditEntry(**columns) for columns in typed]

    @writes
    def add_refusal(self, db: Connection, *, user_id: str, way: str, address: str, code: str, count: int) -> None:
        """Record a refused attempt to sign in, of which `count` were alike; drop the oldest of too many."""
        of = {"user_id": user_id, "way": way[:32], "address": address, "outcome": code[:32]}
        db.execute(_ADD, {"at": now(), "action": REFUSED, "object": str(count) if count > 1 else "", **of})
        oldest = db.execute(_OLDEST_REMAINING).scalar_one_or_none()
        if oldest is not None:
            db.execute(_DROP_REFUSED, {"before": oldest})

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

    async def trim(self, most: int = MOST_OF_USER) -> None:
        """Drop the oldest entries of users with more than `most`."""
        # Looked up as a reader: there is hardly ever something to drop, and people wait for the writer.
        for user_id in await self._busiest(most):
            await self._trim(user_id, most)

    @reads
    def _busiest(self, db: Connection, most: int) -> list[str]:
        return list(db.execute(_BUSIEST, {"most": most}).scalars())

    @writes
    def _trim(self, db: Connection, user_id: str, most: int) -> None:
        last = db.execute(_OLDEST_OF_USER, {"of_user": user_id, "kept": most}).scalar_one_or_none()
        if last is not None:
            db.execute(_DROP_OF_USER, {"of_user": user_id, "last": last})


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
    who = actor.user_id or user_id
    count = actor.acts.count(who, action)
    if not count:
        return
    shown = {name: _short(value) for name, value in (details or {}).items()} | ({"count": count} if count > 1 else {})
    # An issuer, which stands for the way at a first visit, may be longer than the column.
    by = {"user_id": who, "way": (actor.way or way)[:32], "address": actor.address, "credential": actor.credential}
    db.execute(
        _ADD, {"at": now(), "action": action, "object": object, "outcome": outcome, **by, "details": shown or None}
    )


def forget_details(db: Connection, user_id: str) -> None:
    """Erase the details of a deleted user's entries.

    Those that the command line made for the user are erased as well.
    """
    for row in db.execute(_WITH_DETAILS, {"of_user": user_id}).all():
        if user_id in (row.user_id, row.details.get("user")):
            db.execute(_FORGET, {"with_id": row.id})


def _short(value: Any) -> Any:
    if isinstance(value, list | tuple):
        cut = [_short(each) for each in value[:MOST_NAMED]]
        return [*cut, "…"] if len(value) > MOST_NAMED else cut
    return f"{value[:LONGEST]}…" if isinstance(value, str) and len(value) > LONGEST else value
