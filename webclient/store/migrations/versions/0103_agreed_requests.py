"""Adds an index on what the user said yes to, by server: cards ask whether they know the address and the name."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

revision = "0103"
down_revision = "0102"

AGREED = text("via = 'page' AND state IN ('accepted', 'waiting', 'completed')")


def upgrade() -> None:
    """Add the index."""
    columns = ["user_id", "server_id", "created_at"]
    op.create_index("ix_requests_agreed", "requests", columns, sqlite_where=AGREED, postgresql_where=AGREED)
