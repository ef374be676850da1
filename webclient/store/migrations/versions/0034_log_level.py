"""Servers have a level from which they are asked for log messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Add the column; all servers are asked for everything, as before."""
    op.add_column("servers", sa.Column("log_level", sa.String(16), nullable=False, server_default="debug"))
