"""How questions came, and when their links were opened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns; of a link that was opened before, the last that happened to it is known."""
    op.add_column("requests", sa.Column("came", sa.String(16), nullable=False, server_default="pushed"))
    op.add_column("requests", sa.Column("opened_at", sa.DateTime))
    op.execute("UPDATE requests SET opened_at = settled_at WHERE state IN ('waiting', 'completed')")
