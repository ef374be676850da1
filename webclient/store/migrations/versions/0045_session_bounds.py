"""When an unused browser session ends, and the name that the OpenID provider has for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    """Add the columns; sessions that are open have no such end."""
    op.add_column("browser_sessions", sa.Column("idle_seconds", sa.Integer))
    op.add_column("browser_sessions", sa.Column("idle_at", sa.DateTime))
    op.add_column("browser_sessions", sa.Column("provider_session", sa.String(255)))
