"""Adds what lists show of a proposed call; a question that was asked before has its message alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0117"
down_revision = "0116"


def upgrade() -> None:
    """Add `requests.brief`."""
    op.add_column("requests", sa.Column("brief", sa.JSON(none_as_null=True)))
