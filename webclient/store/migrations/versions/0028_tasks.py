"""Calls have the task as which they run at their server, and requests the task to which they belong."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Add the columns; calls and requests of before have no task."""
    op.add_column("calls", sa.Column("task", sa.JSON))
    op.add_column("requests", sa.Column("task_id", sa.Text))
    op.add_column("requests", sa.Column("wire_id", sa.JSON))
