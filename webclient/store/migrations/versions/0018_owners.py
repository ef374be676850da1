"""Which run of which node an open call or request belongs to; tables and columns get the glossary's names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add the columns, empty for rows of earlier versions, and rename a few."""
    op.create_table(
        "nodes",
        sa.Column("id", sa.String(255), primary_key=True),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("started_at", sa.DateTime, nullable=False),
    )
    for table in ("calls", "requests"):
        op.add_column(table, sa.Column("owner", sa.String(255)))
        op.add_column(table, sa.Column("generation", sa.Integer))
        op.alter_column(table, "words", new_column_name="search_text")
    op.alter_column("requests", "reason_words", new_column_name="reason_search_text")
    op.alter_column("drafts", "carried", new_column_name="prefilled")
    op.drop_index("ix_sign_ins_user_id", "sign_ins")
    op.rename_table("sign_ins", "browser_sessions")
    op.create_index("ix_browser_sessions_user_id", "browser_sessions", ["user_id"])
