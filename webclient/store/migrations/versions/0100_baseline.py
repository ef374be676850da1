"""The tables of version 0.1.0, which all later migrations follow.

New databases are made of `database/tables.py`, and those of unreleased versions come here by `database/unreleased.py`.
"""

from __future__ import annotations

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Raise: a new database gets its tables without migrations."""
    raise RuntimeError("The migrations make no tables in an empty database; start mcp-webclient on it instead.")
