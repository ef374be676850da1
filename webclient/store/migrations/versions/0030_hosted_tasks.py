"""The tasks as which servers want their questions answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0028"

_INDEXES = {
    "hosted_task_id": ["hosted_task_id"],
    "hosted": ["user_id", "server_id", "created_at", "id"],
}


def upgrade() -> None:
    """Add the column, empty for all rows that are there, and indexes on the few rows that have it."""
    op.add_column("requests", sa.Column("hosted_task_id", sa.String(64)))
    where = sa.text("hosted_task_id IS NOT NULL")
    for name, columns in _INDEXES.items():
        op.create_index(f"ix_requests_{name}", "requests", columns, sqlite_where=where, postgresql_where=where)
