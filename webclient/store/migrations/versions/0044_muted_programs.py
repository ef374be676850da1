"""The programs of others that users have muted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "muted_programs",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("asker_id", sa.String(64), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("muted_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "asker_id", name="pk_muted_programs"),
    )
