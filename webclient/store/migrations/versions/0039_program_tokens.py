"""Tokens of programs, of which only hashes are stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "program_tokens",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("hint", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("used_at", sa.DateTime),
        sa.Column("revoked_at", sa.DateTime),
        sa.Column("muted_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_program_tokens"),
    )
    op.create_index("ix_program_tokens_user_id", "program_tokens", ["user_id"])
    op.create_index("ix_program_tokens_token_hash", "program_tokens", ["token_hash"])
