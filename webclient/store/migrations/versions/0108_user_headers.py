"""Adds the header by which a token of a program acts for several users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0108"
down_revision = "0107"


def upgrade() -> None:
    """Add the column."""
    op.add_column("program_tokens", sa.Column("user_header", sa.String(100)))
