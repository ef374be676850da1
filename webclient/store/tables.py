"""The tables. They work on SQLite and PostgreSQL alike, and every row of a user says whose it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Column, DateTime, Dialect, Index, Integer, MetaData, String, Table, Text, false
from sqlalchemy.types import TypeDecorator

metadata = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"},
)


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite keeps none of the zone, so it is taken off going in and put back coming out."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value and value.replace(tzinfo=UTC)


def _json(name: str) -> Column[Any]:
    return Column(name, JSON(none_as_null=True))


servers = Table(
    "servers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("name", Text),
    Column("label", Text, nullable=False),
    Column("transport", JSON, nullable=False),
    Column("era", String(16), nullable=False),
    Column("modes", JSON, nullable=False),
    Column("muted_at", Moment),
    Column("learned", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
)

calls = Table(
    "calls",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("server_id", String(32), nullable=False, index=True),
    Column("server_label", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    _json("arguments"),
    Column("state", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    _json("progress"),
    _json("result"),
    _json("error"),
    _json("checkpoint"),
    Column("via", String(16), nullable=False),
    Column("retry_of", String(32)),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("search_text", Text, nullable=False),
    _json("withheld"),
    _json("secrets"),
    Column("erased_at", Moment),
    Column("may_wait", Boolean, nullable=False, server_default=false()),
    Column("owner", String(255)),
    Column("generation", Integer),
    Index(None, "user_id", "created_at"),
    Index(None, "user_id", "updated_at", "id"),
)

requests = Table(
    "requests",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("server_id", String(32), nullable=False, index=True),
    Column("call_id", String(32), index=True),
    Column("kind", String(16), nullable=False),
    Column("came", String(16), nullable=False),
    _json("params"),
    _json("asked_by"),
    _json("during"),
    Column("round", Integer),
    Column("position", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    # A sentence, in rows of versions that knew no codes; NULL in all others.
    Column("reason", Text),
    Column("reason_code", String(64)),
    _json("reason_params"),
    Column("reason_search_text", Text),
    _json("content"),
    Column("via", String(16)),
    Column("ended_via", String(16)),
    Column("delivery", String(16)),
    Column("count", Integer, nullable=False),
    Column("expires_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("opened_at", Moment),
    Column("settled_at", Moment),
    Column("digest", String(64)),
    Column("search_text", Text, nullable=False),
    _json("withheld"),
    _json("secrets"),
    Column("erased_at", Moment),
    _json("possible_calls"),
    Column("owner", String(255)),
    Column("generation", Integer),
    Index(None, "user_id", "state", "created_at"),
    Index(None, "user_id", "server_id", "digest"),
    Index(None, "state", "expires_at"),
    Index(None, "user_id", "settled_at", "id"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("request_id", String(32), primary_key=True),
    Column("texts", JSON, nullable=False),
    Column("prefilled", Boolean, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

call_logs = Table(
    "call_logs",
    metadata,
    Column("call_id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("entries", JSON, nullable=False),
    Column("omitted", Integer, nullable=False),
)

browser_sessions = Table(
    "browser_sessions",
    metadata,
    Column("session_hash", String(64), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("expires_at", Moment, nullable=False),
)

nodes = Table(
    "nodes",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("generation", Integer, nullable=False),
    Column("started_at", Moment, nullable=False),
)
