"""Which drafts were filled in with what was answered before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column; what is there was typed."""
    op.add_column("drafts", sa.Column("carried", sa.Boolean, nullable=False, server_default=sa.false()))
