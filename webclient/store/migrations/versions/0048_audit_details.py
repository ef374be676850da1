"""The credential behind each entry of the audit trail, and its details."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    """Add the columns; earlier entries have neither."""
    op.add_column("audit", sa.Column("credential", sa.String(80), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("details", sa.JSON))
