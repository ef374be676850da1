"""Sampling: servers may ask for it, rules for it, where each request stands, and what was spent on models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0024"

MODES = sa.table("servers", sa.column("id", sa.String), sa.column("modes", sa.JSON))


def upgrade() -> None:
    """Add the columns and the table. Nobody has switched off what could not be asked, so all servers may ask for it."""
    op.add_column("servers", sa.Column("sampling", sa.JSON, nullable=False, server_default="{}"))
    op.add_column("requests", sa.Column("sampling", sa.JSON))
    connection = op.get_bind()
    for row in connection.execute(sa.select(MODES)).all():
        if "sampling" not in row.modes:
            values = {"modes": [*row.modes, "sampling"]}
            connection.execute(MODES.update().where(MODES.c.id == row.id).values(values))
    op.create_table(
        "sampling_spent",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("costs", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "server_id", "day", name="pk_sampling_spent"),
    )
