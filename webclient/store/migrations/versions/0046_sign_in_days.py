"""When a user last signed in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    """Add the column; users are taken to have signed in when they were last seen."""
    op.add_column("users", sa.Column("signed_in_at", sa.DateTime))
    op.execute("UPDATE users SET signed_in_at = seen_at")
