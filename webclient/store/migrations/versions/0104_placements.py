"""Adds which node a user lives on, and what nodes that share a database know of each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0104"
down_revision = "0103"


def upgrade() -> None:
    """Add the columns of nodes, and the table of placements."""
    for name in ("seen_at", "leaving_at", "left_at", "version", "probe"):
        op.add_column("nodes", sa.Column(name, sa.DateTime() if name.endswith("_at") else sa.Text()))
    op.create_table(
        "placements",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("node_id", sa.String(255)),
        sa.Column("generation", sa.Integer()),
        sa.PrimaryKeyConstraint("user_id", name="pk_placements"),
    )
    op.create_index("ix_placements_node_id", "placements", ["node_id"])
