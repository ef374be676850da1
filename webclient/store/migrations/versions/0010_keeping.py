"""What is not kept of answers and calls, what of it is still needed, and when the values were erased."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the columns; what was kept before stays until it is old enough to be erased."""
    for table in ("calls", "requests"):
        op.add_column(table, sa.Column("withheld", sa.JSON))
        op.add_column(table, sa.Column("secrets", sa.JSON))
        op.add_column(table, sa.Column("erased_at", sa.DateTime))
