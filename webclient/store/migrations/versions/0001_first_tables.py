"""The first tables: servers, calls, requests, sign-ins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "servers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("transport", sa.JSON, nullable=False),
        sa.Column("era", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_servers_user_id", "servers", ["user_id"])
    op.create_table(
        "calls",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("server_label", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("arguments", sa.JSON),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("progress", sa.JSON),
        sa.Column("result", sa.JSON),
        sa.Column("error", sa.JSON),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_calls_server_id", "calls", ["server_id"])
    op.create_index("ix_calls_user_id_created_at", "calls", ["user_id", "created_at"])
    op.create_table(
        "requests",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("call_id", sa.String(32)),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("params", sa.JSON),
        sa.Column("asked_by", sa.JSON),
        sa.Column("during", sa.JSON),
        sa.Column("round", sa.Integer),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("content", sa.JSON),
        sa.Column("expires_at", sa.DateTime),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("settled_at", sa.DateTime),
    )
    op.create_index("ix_requests_server_id", "requests", ["server_id"])
    op.create_index("ix_requests_call_id", "requests", ["call_id"])
    op.create_index("ix_requests_user_id_state_created_at", "requests", ["user_id", "state", "created_at"])
    op.create_table(
        "sign_ins",
        sa.Column("session_hash", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"])
