"""Users whom a command wants deleted, and indexes by which the audit trail is filtered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"


def upgrade() -> None:
    """Add the column, which is empty, and the indexes."""
    op.add_column("users", sa.Column("erasing_at", sa.DateTime))
    for name in ("at", "user_id", "object"):
        op.create_index(f"ix_audit_{name}", "audit", [name])
