"""Adds the trace that a call is part of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0116"
down_revision = "0113"


def upgrade() -> None:
    """Add the column."""
    op.add_column("calls", sa.Column("trace", sa.JSON(none_as_null=True)))
