"""Sessions in the frames of embedding applications, and the ids of the tokens that began them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Add both tables."""
    op.create_table(
        "embed_sessions",
        sa.Column("session_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("embedder", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("host_session", sa.String(255)),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("ends_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("session_hash", name="pk_embed_sessions"),
    )
    op.create_index("ix_embed_sessions_user_id", "embed_sessions", ["user_id"])
    op.create_index("ix_embed_sessions_ends_at", "embed_sessions", ["ends_at"])
    op.create_index("ix_embed_sessions_embedder_subject", "embed_sessions", ["embedder", "subject"])
    op.create_index("ix_embed_sessions_embedder_host_session", "embed_sessions", ["embedder", "host_session"])
    op.create_table(
        "used_tokens",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_used_tokens"),
    )
    op.create_index("ix_used_tokens_expires_at", "used_tokens", ["expires_at"])
