"""Adds what a list warns of; a question that was asked before has no mark there, and its card warns as ever."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0102"
down_revision = "0101"


def upgrade() -> None:
    """Add `requests.alarm`."""
    op.add_column("requests", sa.Column("alarm", sa.String(16)))
