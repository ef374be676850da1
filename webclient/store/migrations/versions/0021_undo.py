"""How a person decided to end a request, as long as that can be undone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the columns, empty for all rows that are there."""
    op.add_column("requests", sa.Column("decided", sa.String(16)))
    op.add_column("requests", sa.Column("undo_until", sa.DateTime))
