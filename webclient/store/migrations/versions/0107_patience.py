"""Adds the patience of an agent: the seconds for which it waits for a result."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0107"
down_revision = "0106"


def upgrade() -> None:
    """Add the column."""
    op.add_column("program_tokens", sa.Column("patience", sa.Float()))
