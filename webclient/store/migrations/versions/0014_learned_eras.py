"""What was learned of a server while connecting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; of the servers that are there, nothing was learned yet."""
    op.add_column("servers", sa.Column("learned", sa.JSON, nullable=False, server_default="{}"))
