"""The audit trail: rows that are only added, in the transaction of what they record.

Only refused attempts to sign in are dropped again, the oldest first, because strangers make as many as they like.
"""

from __future__ import annotations

from sqlalchemy import Connection, Select, bindparam, delete, insert, select

from webclient.model import ACTING, AuditAction, AuditEntry, now
from webclient.store.database import UsesDatabase, reads, writes
from webclient.store.user_tables import audit

MOST = 200
"""Entries that are read together."""

_ADD = insert(audit)
_NEWEST = select(audit).where(audit.c.id < bindparam("before")).order_by(audit.c.id.desc()).limit(MOST)

MOST_REFUSED = 2000
"""Refused attempts that are kept: strangers make them, so they must not fill the table."""

REFUSED = AuditAction.SIGN_IN_REFUSED


def _oldest_remaining(most: int) -> Select[tuple[int]]:
    return select(audit.c.id).where(audit.c.action == REFUSED).order_by(audit.c.id.desc()).offset(most - 1).limit(1)


_OLDEST_REMAINING = _oldest_remaining(MOST_REFUSED)
_DROP_REFUSED = delete(audit).where(audit.c.action == REFUSED, audit.c.id < bindparam("before"))

LAST = 2**31 - 1
"""The largest id: that of an integer of PostgreSQL."""


class Audit(UsesDatabase):
    """The trail of all users."""

    @reads
    def newest(self, db: Connection, before: int | None = None) -> list[AuditEntry]:
        """Return the newest entries, newest first; with `before`, those older than that id."""
        rows = db.execute(_NEWEST, {"before": before or LAST})
        return [AuditEntry(**{**row._mapping, "action": AuditAction(row.action)}) for row in rows]

    @writes
    def add_refusal(self, db: Connection, *, user_id: str, way: str, address: str, code: str, count: int) -> None:
        """Record a refused attempt to sign in, of which `count` were alike; drop the oldest of too many."""
        of = {"user_id": user_id, "way": way[:32], "address": address, "outcome": code[:32]}
        db.execute(_ADD, {"at": now(), "action": REFUSED, "object": str(count) if count > 1 else "", **of})
        oldest = db.execute(_OLDEST_REMAINING).scalar_one_or_none()
        if oldest is not None:
            db.execute(_DROP_REFUSED, {"before": oldest})

    @writes
    def add(self, db: Connection, action: AuditAction, *, object: str = "") -> None:  # noqa: A002
        """Record what changes no other row."""
        record(db, action, object=object)


def record(
    db: Connection,
    action: AuditAction,
    *,
    user_id: str = "",
    way: str = "",
    object: str = "",  # noqa: A002
    outcome: str = "",
) -> None:
    """Add an entry within a unit of work, if a request is the cause; the user and way are those of the request."""
    actor = ACTING.get(None)
    if actor is not None:
        # An issuer, which stands for the way at a first visit, may be longer than the column.
        by = {"user_id": actor.user_id or user_id, "way": (actor.way or way)[:32], "address": actor.address}
        db.execute(_ADD, {"at": now(), "action": action, "object": object, "outcome": outcome, **by})
