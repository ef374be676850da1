"""Adds what nodes that share a database show each other of their settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0106"
down_revision = "0105"


def upgrade() -> None:
    """Add the column."""
    op.add_column("nodes", sa.Column("configuration", sa.JSON()))
