"""Sessions of embedding applications that were ended before their time, so that their frames can say so."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "ended_embed_sessions",
        sa.Column("session_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("embedder", sa.String(64), nullable=False),
        sa.Column("forgotten_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("session_hash", name="pk_ended_embed_sessions"),
    )
    op.create_index("ix_ended_embed_sessions_user_id", "ended_embed_sessions", ["user_id"])
    op.create_index("ix_ended_embed_sessions_forgotten_at", "ended_embed_sessions", ["forgotten_at"])
