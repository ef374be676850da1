"""What the history is searched by, and the indexes that it is read along, newest first."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_LONGEST = 2000


def upgrade() -> None:
    """Add the columns and fill them for what is there."""
    for table in ("calls", "requests"):
        op.add_column(table, sa.Column("words", sa.Text, nullable=False, server_default=""))
    op.create_index("ix_calls_user_id_updated_at_id", "calls", ["user_id", "updated_at", "id"])
    op.create_index("ix_requests_user_id_settled_at_id", "requests", ["user_id", "settled_at", "id"])
    db = op.get_bind()
    for row in db.execute(sa.text("SELECT id, server_label, name FROM calls")).all():
        _fill("calls", row.id, [row.server_label, row.name])
    for row in db.execute(sa.text("SELECT id, asked_by, during, params FROM requests")).all():
        asked_by, during, params = (_read(each) for each in (row.asked_by, row.during, row.params))
        _fill("requests", row.id, [asked_by.get("label"), during.get("name"), params.get("message")])


def _read(given: object) -> dict[str, object]:
    read = json.loads(given) if isinstance(given, str) else given
    return read if isinstance(read, dict) else {}


def _fill(table: str, row_id: str, words: list[object]) -> None:
    text = "\n".join(str(each) for each in words if each).casefold()[:_LONGEST]
    statement = sa.text(f"UPDATE {table} SET words = :words WHERE id = :id")  # noqa: S608  (one of two names above)
    op.get_bind().execute(statement, {"words": text, "id": row_id})
