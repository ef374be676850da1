"""Users have rows, and a browser's session names the way by which it was signed in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    """Add the table and the column; each start makes the row of the local user."""
    op.add_column("browser_sessions", sa.Column("way", sa.String(32), nullable=False, server_default="local"))
    op.create_table(
        "users",
        sa.Column("id", sa.String(255), nullable=False),
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("seen_at", sa.DateTime, nullable=False),
        sa.Column("disabled_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
    )
    op.create_index("ix_users_issuer_subject", "users", ["issuer", "subject"], unique=True)
