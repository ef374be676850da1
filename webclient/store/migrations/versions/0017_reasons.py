"""Reasons as codes with parameters; earlier rows keep the sentences that they have."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("requests", sa.Column("reason_code", sa.String(64)))
    op.add_column("requests", sa.Column("reason_params", sa.JSON))
    op.add_column("requests", sa.Column("reason_words", sa.Text))
