"""Adds the ID tokens of users, which open the servers of their company."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0121"
down_revision = "0119"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "saved_identities",
        sa.Column("user_id", sa.String(255), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("provider_session", sa.String(255)),
        sa.Column("secrets", sa.Text, nullable=False),
    )
