"""The calls of which a question may be, where its server does not say; and that a call may wait, for all one knows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the columns; of earlier questions it is not known."""
    op.add_column("requests", sa.Column("possible_calls", sa.JSON(none_as_null=True)))
    op.add_column("calls", sa.Column("may_wait", sa.Boolean(), nullable=False, server_default=sa.false()))
