"""The other users whom the program of a token may ask."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    """Add the column."""
    op.add_column("program_tokens", sa.Column("may_ask", sa.JSON))
