"""Adds an index on what the user said yes to, by the question: a card says how often, and when last."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

revision = "0104"
down_revision = "0103"

AGREED = text("via = 'page' AND state IN ('accepted', 'waiting', 'completed')")


def upgrade() -> None:
    """Add the index."""
    columns = ["user_id", "server_id", "digest", "call_name", "created_at"]
    op.create_index("ix_requests_agreed_alike", "requests", columns, sqlite_where=AGREED, postgresql_where=AGREED)
