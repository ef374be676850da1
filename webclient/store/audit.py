"""The audit trail: rows that are only added, in the transaction of what they record."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, insert, select

from webclient.model import ACTING, AuditAction, AuditEntry, now
from webclient.store.database import UsesDatabase, reads, writes
from webclient.store.user_tables import audit

MOST = 200
"""Entries that are read together."""

_ADD = insert(audit)
_NEWEST = select(audit).where(audit.c.id < bindparam("before")).order_by(audit.c.id.desc()).limit(MOST)

_LAST = 2**62


class Audit(UsesDatabase):
    """The trail of all users."""

    @reads
    def newest(self, db: Connection, before: int | None = None) -> list[AuditEntry]:
        """Return the newest entries, newest first; with `before`, those older than that id."""
        rows = db.execute(_NEWEST, {"before": before or _LAST})
        return [AuditEntry(**{**row._mapping, "action": AuditAction(row.action)}) for row in rows]

    @writes
    def add(self, db: Connection, action: AuditAction, outcome: str = "") -> None:
        """Record what changes no other row."""
        record(db, action, outcome=outcome)


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
        by = {"user_id": actor.user_id or user_id, "way": actor.way or way, "address": actor.address}
        db.execute(_ADD, {"at": now(), "action": action, "object": object, "outcome": outcome, **by})
