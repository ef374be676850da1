"""Renames the column that says how a request reached its user; both databases change only its name."""

from __future__ import annotations

from alembic import op

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Rename `requests.came` to `origin`."""
    op.execute("ALTER TABLE requests RENAME COLUMN came TO origin")
