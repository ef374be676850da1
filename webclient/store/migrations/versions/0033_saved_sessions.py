"""Sessions over HTTP in which tasks go on, so that the next process can resume them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "saved_sessions",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "server_id", name="pk_saved_sessions"),
    )
