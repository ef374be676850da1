"""The drafts: what people typed and have not sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "drafts",
        sa.Column("user_id", sa.String(255), primary_key=True),
        sa.Column("request_id", sa.String(32), primary_key=True),
        sa.Column("texts", sa.JSON, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
    )
