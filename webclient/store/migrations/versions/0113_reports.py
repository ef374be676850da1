"""Adds what rules that only report would have done with a call, and indexes on such calls and on approvals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0113"
down_revision = "0112"


def upgrade() -> None:
    """Add the column and the indexes."""
    op.add_column("calls", sa.Column("reports", sa.JSON(none_as_null=True)))
    for table, name, condition in (
        ("calls", "ix_calls_reported", "reports IS NOT NULL"),
        ("requests", "ix_requests_approvals", "kind = 'approval'"),
    ):
        where = sa.text(condition)
        op.create_index(name, table, ["user_id", "created_at"], sqlite_where=where, postgresql_where=where)
