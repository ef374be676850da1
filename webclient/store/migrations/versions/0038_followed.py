"""Servers have the URIs of the resources that their user follows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Add the column; nothing was followed before."""
    op.add_column("servers", sa.Column("followed", sa.JSON(), nullable=False, server_default="[]"))
