"""When and from where each sign-in came, and when it was last used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    """Add the columns; of sessions that are open nothing is known."""
    for table in ("browser_sessions", "embed_sessions"):
        op.add_column(table, sa.Column("created_at", sa.DateTime))
        op.add_column(table, sa.Column("used_at", sa.DateTime))
        op.add_column(table, sa.Column("user_agent", sa.String(255)))
        op.add_column(table, sa.Column("address", sa.String(255)))
