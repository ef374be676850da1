"""Notices: the settings of users, where notices go, those on their way, and the requests that were noticed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Add the tables and the column."""
    op.add_column("requests", sa.Column("noticed_at", sa.DateTime))
    op.create_table(
        "notice_settings",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("wait_seconds", sa.Integer, nullable=False),
        sa.Column("quiet", sa.JSON),
        sa.Column("last_at", sa.DateTime),
        sa.Column("last_id", sa.String(32), nullable=False),
        sa.Column("unheeded", sa.Integer, nullable=False),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_notice_settings"),
    )
    op.create_table(
        "notice_targets",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("language", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("failing_since", sa.DateTime),
        sa.Column("failure", sa.String(64), nullable=False),
        sa.Column("disabled_at", sa.DateTime),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notice_targets"),
    )
    op.create_index("ix_notice_targets_user_id", "notice_targets", ["user_id"])
    op.create_table(
        "notices",
        sa.Column("target_id", sa.String(32), nullable=False),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("next_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("target_id", name="pk_notices"),
    )
    op.create_index("ix_notices_next_at", "notices", ["next_at"])
