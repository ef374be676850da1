"""Servers that a user has added are connected again when the user comes back, unless the user disconnected them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Add the column; what users did with their servers before is not known, so all are connected."""
    op.add_column("servers", sa.Column("reconnects", sa.Boolean(), nullable=False, server_default=sa.true()))
