"""Adds the risk of a proposed call; a question that was asked before has none, and stands with the others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0111"
down_revision = "0110"


def upgrade() -> None:
    """Add `requests.risk`."""
    op.add_column("requests", sa.Column("risk", sa.String(16)))
