"""Adds whether an agent is asked what servers ask during its calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0119"
down_revision = "0118"


def upgrade() -> None:
    """Add the column."""
    op.add_column("program_tokens", sa.Column("passes_on", sa.Boolean()))
