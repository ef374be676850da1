"""Adds the extensions of the protocol that are not announced to a server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0112"
down_revision = "0111"


def upgrade() -> None:
    """Add the column."""
    op.add_column("servers", sa.Column("extensions_off", sa.JSON(), nullable=False, server_default="[]"))
