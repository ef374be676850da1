"""Indexes for every query, so that none of them reads a history that grows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_ADDED = {
    "calls": [
        ("user_id", "created_at", "id"),
        ("user_id", "server_id", "created_at", "id"),
        ("state", "user_id", "server_id"),
        ("erased_at", "updated_at"),
    ],
    "requests": [
        ("user_id", "created_at", "position", "id"),
        ("user_id", "server_id", "created_at", "position", "id"),
        ("user_id", "state", "server_id"),
        ("erased_at", "settled_at"),
    ],
}
_PARTIAL = [
    ("calls", "secrets", ("id",), "secrets IS NOT NULL"),
    ("requests", "secrets", ("id",), "secrets IS NOT NULL"),
    ("requests", "sending", ("id",), "delivery = 'sending'"),
    ("requests", "possible_calls", ("user_id", "created_at"), "possible_calls IS NOT NULL"),
    ("requests", "opened", ("user_id", "server_id", "created_at"), "opened_at IS NOT NULL"),
]


def upgrade() -> None:
    """Add the indexes, and drop those that they replace."""
    op.drop_index("ix_calls_user_id_created_at", "calls")
    op.drop_index("ix_calls_server_id", "calls")
    op.drop_index("ix_requests_server_id", "requests")
    for table, indexes in _ADDED.items():
        for columns in indexes:
            op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
    for table, name, columns, condition in _PARTIAL:
        where = sa.text(condition)
        op.create_index(f"ix_{table}_{name}", table, list(columns), sqlite_where=where, postgresql_where=where)
