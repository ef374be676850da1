"""Calls say whether their result is an error, so that lists show it without reading results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_CALLS = sa.table("calls", sa.column("result", sa.JSON), sa.column("tool_failed", sa.Boolean))


def upgrade() -> None:
    """Add the column, and read it from the results that are stored."""
    op.add_column("calls", sa.Column("tool_failed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(sa.update(_CALLS).where(_CALLS.c.result["isError"].as_boolean()).values(tool_failed=True))
