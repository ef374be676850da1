"""Adds the seconds that an agent was seen to wait."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0110"
down_revision = "0109"


def upgrade() -> None:
    """Add the column."""
    op.add_column("program_tokens", sa.Column("learned_patience", sa.Float()))
