"""What a question asks, in short, so that the same can be found again; and the way to what runs out next."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column and the indexes; what was asked before is not compared with."""
    op.add_column("requests", sa.Column("digest", sa.String(64)))
    op.create_index("ix_requests_user_id_server_id_digest", "requests", ["user_id", "server_id", "digest"])
    op.create_index("ix_requests_state_expires_at", "requests", ["state", "expires_at"])
