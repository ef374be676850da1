"""Adds which agent made a call, and the servers that the token of an agent reaches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0105"
down_revision = "0104"


def upgrade() -> None:
    """Add the two columns."""
    op.add_column("calls", sa.Column("agent", sa.JSON(none_as_null=True)))
    op.add_column("program_tokens", sa.Column("servers", sa.JSON(none_as_null=True)))
