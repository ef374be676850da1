"""Where people acted, how far their answers came, and which call starts which one over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns; where earlier calls were started was not noted, and most were started by the page."""
    op.add_column("calls", sa.Column("via", sa.String(16), nullable=False, server_default="page"))
    op.add_column("calls", sa.Column("retry_of", sa.String(32)))
    op.add_column("requests", sa.Column("via", sa.String(16)))
    op.add_column("requests", sa.Column("delivery", sa.String(16)))
