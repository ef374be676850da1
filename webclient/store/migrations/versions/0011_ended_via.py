"""From where somebody said that they had finished at a link that they had opened, or gave it up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column; of what was ended before it is not known."""
    op.add_column("requests", sa.Column("ended_via", sa.String(16)))
