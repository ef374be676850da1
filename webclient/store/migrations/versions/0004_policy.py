"""What a user leaves each server, and how many questions one row stands for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; what a server could do before, it still can."""
    op.add_column("servers", sa.Column("modes", sa.JSON, nullable=False, server_default='["form", "url"]'))
    op.add_column("servers", sa.Column("muted_at", sa.DateTime))
    op.add_column("requests", sa.Column("count", sa.Integer, nullable=False, server_default="1"))
