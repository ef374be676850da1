"""Indexes for many users: their list, and the look for disabled ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"


def upgrade() -> None:
    """Make the indexes."""
    disabled = sa.text("disabled_at IS NOT NULL")
    op.create_index("ix_users_created_at_id", "users", ["created_at", "id"])
    op.create_index("ix_users_disabled", "users", ["id"], sqlite_where=disabled, postgresql_where=disabled)
