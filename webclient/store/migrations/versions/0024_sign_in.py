"""Signing in to servers: what is wanted, what was granted, and the secrets of servers, all sealed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the tables and columns. Headers that servers have already are sealed when the store is opened."""
    op.add_column("servers", sa.Column("oauth", sa.JSON, nullable=False, server_default="{}"))
    op.add_column("servers", sa.Column("secrets", sa.Text))
    op.create_table(
        "pending_sign_ins",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("new_scopes", sa.JSON, nullable=False),
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("nonce_hash", sa.String(64)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
        sa.Column("used_at", sa.DateTime),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pending_sign_ins"),
    )
    op.create_index("ix_pending_sign_ins_state_hash", "pending_sign_ins", ["state_hash"])
    owner = ["user_id", "server_id"]
    op.create_index("ix_pending_sign_ins_user_id_server_id", "pending_sign_ins", owner, unique=True)
    op.create_table(
        "grants",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("resource", sa.Text),
        sa.Column("requested", sa.JSON, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("expires_at", sa.DateTime),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.DateTime),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "server_id", name="pk_grants"),
    )
    op.create_table(
        "registrations",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "digest", name="pk_registrations"),
    )
    op.create_table(
        "step_ups",
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("server_id", sa.String(32), nullable=False),
        sa.Column("scope_digest", sa.String(64), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("last_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "server_id", "scope_digest", name="pk_step_ups"),
    )
