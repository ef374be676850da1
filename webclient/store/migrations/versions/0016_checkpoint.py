"""The checkpoint of a call gets its name, a version and a kind."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Rename the column, and rewrite what stands in it."""
    op.alter_column("calls", "held", new_column_name="checkpoint")
    calls = sa.table("calls", sa.column("id"), sa.column("round"), sa.column("checkpoint", sa.JSON(none_as_null=True)))
    db = op.get_bind()
    waiting = sa.select(calls).where(calls.c.checkpoint.is_not(None))
    for row in db.execute(waiting).all():
        db.execute(calls.update().where(calls.c.id == row.id).values(checkpoint=_checkpoint(row.checkpoint, row.round)))


def _checkpoint(held: dict[str, Any], round_: int) -> dict[str, Any]:
    common = {
        "version": 1,
        "round": held.get("round", round_),
        "requests": held["requests"],
        "unanswered_before": held.get("unanswered_before", 0),
    }
    if held.get("error") is None:
        return common | {"kind": "round", "state": held.get("state")}
    before = held.get("before") or {}
    sent = {"answers": before.get("answers"), "state": before.get("state")}
    return common | {"kind": "links", "error": held["error"], **sent}
