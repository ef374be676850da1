"""The ids of calls and requests are ordered as in Python, in a PostgreSQL of any locale: the history merges by them."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"

_IDS = (
    ("calls", "id"),
    ("requests", "id"),
    # These are joined with those by an index, which must have the same order.
    ("requests", "call_id"),
    ("drafts", "request_id"),
    ("call_logs", "call_id"),
)


def upgrade() -> None:
    """Order by code points; SQLite does so already."""
    if op.get_bind().dialect.name == "postgresql":
        for table, column in _IDS:
            op.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE varchar(32) COLLATE "C"')
