"""The tables of notices; `tables.py` has the rules for all."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Integer, String, Table, Text

from webclient.store.database.tables import Moment, metadata

notice_settings = Table(
    "notice_settings",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("wait_seconds", Integer, nullable=False),
    Column("quiet", JSON(none_as_null=True)),
    Column("last_at", Moment),
    Column("last_id", String(32), nullable=False),
    Column("unheeded", Integer, nullable=False),
    Column("secrets", Text, nullable=False),
)

notice_targets = Table(
    "notice_targets",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("label", Text, nullable=False),
    Column("language", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("failing_since", Moment),
    Column("failure", String(64), nullable=False),
    Column("disabled_at", Moment),
    Column("secrets", Text, nullable=False),
)

notices = Table(
    "notices",
    metadata,
    Column("target_id", String(32), primary_key=True),
    Column("id", String(32), nullable=False),
    Column("user_id", String(255), nullable=False),
    Column("failures", Integer, nullable=False),
    Column("next_at", Moment, nullable=False, index=True),
)
