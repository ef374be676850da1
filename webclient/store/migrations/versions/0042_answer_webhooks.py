"""Webhooks that tell programs how their questions ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "answer_webhooks",
        sa.Column("request_id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("failure", sa.String(64), nullable=False),
        sa.Column("next_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("secrets", sa.Text),
        sa.PrimaryKeyConstraint("request_id", name="pk_answer_webhooks"),
    )
    op.create_index("ix_answer_webhooks_user_id", "answer_webhooks", ["user_id"])
    op.create_index("ix_answer_webhooks_next_at", "answer_webhooks", ["next_at"])
