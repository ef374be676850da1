"""What servers logged during calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "call_logs",
        sa.Column("call_id", sa.String(32), primary_key=True),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("entries", sa.JSON, nullable=False),
        sa.Column("omitted", sa.Integer, nullable=False),
    )
