"""Servers have roots: the folders that the user shares with them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Add the column; no server has roots yet."""
    op.add_column("servers", sa.Column("roots", sa.JSON))
