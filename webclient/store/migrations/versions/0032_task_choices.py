"""The tools that a user runs as a task."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "task_choices",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("tool_digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "server_id", "tool_digest", name="pk_task_choices"),
    )
