"""Adds the rules on calls of agents, and the decision of a person before such a call."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webclient.store.database.tables import Moment

revision = "0109"
down_revision = "0108"


def upgrade() -> None:
    """Add the table and the column."""
    op.create_table(
        "rules",
        sa.Column("user_id", sa.String(255), primary_key=True),
        sa.Column("rules", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("changed_at", Moment, nullable=False),
    )
    op.add_column("calls", sa.Column("approval", sa.JSON(none_as_null=True)))
