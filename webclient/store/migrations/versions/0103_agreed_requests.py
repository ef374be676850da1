"""Adds indexes on what the user said yes to: by server, and by the question.

Cards look there for the address that is known of a server, and for earlier answers to the same question.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

revision = "0103"
down_revision = "0102"

AGREED = text("via = 'page' AND state IN ('accepted', 'waiting', 'completed')")
INDEXES = {
    "ix_requests_agreed": ["user_id", "server_id", "created_at"],
    "ix_requests_agreed_alike": ["user_id", "server_id", "digest", "call_name", "created_at"],
}


def upgrade() -> None:
    """Add the indexes."""
    for name, columns in INDEXES.items():
        op.create_index(name, "requests", columns, sqlite_where=AGREED, postgresql_where=AGREED)
