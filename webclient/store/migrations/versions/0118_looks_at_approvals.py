"""Adds how long a question was looked at before it was approved, and which rule asked it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0118"
down_revision = "0117"


def upgrade() -> None:
    """Add `requests.looked_ms` and `requests.rule_id`."""
    op.add_column("requests", sa.Column("looked_ms", sa.Integer))
    op.add_column("requests", sa.Column("rule_id", sa.String(64)))
