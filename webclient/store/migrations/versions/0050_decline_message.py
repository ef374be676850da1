"""The reason that a person gives for declining."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    """Add the column."""
    op.add_column("requests", sa.Column("decline_message", sa.Text))
