"""The tables. They work on SQLite and PostgreSQL alike, and every row of a user says whose it is.

A new database is made of this, exactly as the migrations make it: columns and indexes are in the order in which those
add them, with the same defaults.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    event,
    false,
    literal_column,
    text,
    true,
)
from sqlalchemy.types import TypeDecorator

from webclient.store.database.sealed_column import SealedJson

metadata = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"},
)


@event.listens_for(Index, "after_parent_attach")
def _append(index: Index, table: Table) -> None:
    # In order, which a table does not keep: of indexes that suit as well, SQLite takes the newest.
    table.info.setdefault("indexes", []).append(index)


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite keeps none of the zone, so it is taken off going in and put back coming out."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return value and value.replace(tzinfo=UTC)


_Id = String(32).with_variant(String(32, collation="C"), "postgresql")
"""The id of a call or request: ordered by code points in a PostgreSQL of any locale, as the history merges them."""


def _json(name: str) -> Column[Any]:
    return Column(name, JSON(none_as_null=True))


def _partial(table: str, name: str, condition: str, *columns: str) -> Index:
    """Return an index on the few rows that meet the condition; a query must name it in the same words."""
    where = text(condition)
    return Index(f"ix_{table}_{name}", *columns, sqlite_where=where, postgresql_where=where)


AGREED = "via = 'page' AND state IN ('accepted', 'waiting', 'completed')"

servers = Table(
    "servers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("name", Text),
    Column("label", Text, nullable=False),
    Column("transport", JSON, nullable=False),
    Column("era", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("modes", JSON, nullable=False, server_default='["form", "url"]'),
    Column("muted_at", Moment),
    Column("learned", JSON, nullable=False, server_default="{}"),
    Column("oauth", JSON, nullable=False, server_default="{}"),
    Column("secrets", Text),  # sealed: what the transport and the settings of the sign-in must not show
    Column("sampling", JSON, nullable=False, server_default="{}"),
    _json("roots"),
    Column("log_level", String(16), nullable=False, server_default="debug"),
    Column("followed", JSON, nullable=False, server_default="[]"),
    Column("reconnects", Boolean, nullable=False, server_default=true()),
    Column("extensions_off", JSON, nullable=False, server_default="[]"),
)

calls = Table(
    "calls",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("server_id", String(32), nullable=False),
    Column("server_label", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    _json("arguments"),
    Column("state", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    _json("progress"),
    _json("result"),
    _json("error"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    _json("checkpoint"),
    Column("via", String(16), nullable=False, server_default="page"),
    Column("retry_of", String(32)),
    Column("search_text", Text, nullable=False, server_default=""),
    _json("withheld"),
    Column("secrets", SealedJson("calls")),
    Column("erased_at", Moment),
    Column("may_wait", Boolean, nullable=False, server_default=false()),
    Column("owner", String(255)),
    Column("generation", Integer),
    Column("tool_failed", Boolean, nullable=False, server_default=false()),
    Column("values_text", Text, nullable=False, server_default=""),
    _json("task"),
    Column("size", Integer, nullable=False, server_default="0"),
    Column("result_size", Integer, nullable=False, server_default="0"),
    _json("agent"),
    _json("approval"),
    _json("reports"),
    _json("trace"),
    Index(None, "user_id", "updated_at", "id"),
    Index(None, "user_id", "created_at", "id"),
    Index(None, "user_id", "server_id", "created_at", "id"),
    Index(None, "state", "user_id", "server_id"),
    Index(None, "erased_at", "updated_at"),
    _partial("calls", "secrets", "secrets IS NOT NULL", "id"),
    _partial("calls", "reported", "reports IS NOT NULL", "user_id", "created_at"),
)

requests = Table(
    "requests",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("server_id", String(32), nullable=False),
    Column("call_id", _Id, index=True),
    Column("kind", String(16), nullable=False),
    _json("params"),
    _json("asked_by"),
    _json("during"),
    Column("round", Integer),
    Column("position", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    _json("content"),
    Column("expires_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("settled_at", Moment),
    Column("count", Integer, nullable=False, server_default="1"),
    Column("via", String(16)),
    Column("delivery", String(16)),
    Column("origin", String(16), nullable=False, server_default="pushed"),
    Column("opened_at", Moment),
    Column("digest", String(64)),
    Column("search_text", Text, nullable=False, server_default=""),
    _json("withheld"),
    Column("secrets", SealedJson("requests")),
    Column("erased_at", Moment),
    Column("ended_via", String(16)),
    _json("possible_calls"),
    Column("reason_code", String(64)),
    _json("reason_params"),
    Column("reason_search_text", Text),
    Column("owner", String(255)),
    Column("generation", Integer),
    Column("decided", String(16)),
    Column("undo_until", Moment),
    Column("values_text", Text, nullable=False, server_default=""),
    _json("sampling"),
    Column("task_id", Text),
    _json("wire_id"),
    Column("hosted_task_id", String(64)),
    Column("noticed_at", Moment),
    Column("excerpt", Text, nullable=False, server_default=""),  # these five: what lists show, without the parameters
    Column("call_name", Text),
    Column("parts", Integer, nullable=False, server_default="0"),
    Column("size", Integer, nullable=False, server_default="0"),
    Column("other_size", Integer, nullable=False, server_default="0"),  # of the answer, and of the call's arguments
    Column("decline_message", Text),
    Column("alarm", String(16)),
    Column("risk", String(16)),
    _json("brief"),
    Column("looked_ms", Integer),
    Column("rule_id", String(64)),
    Index(None, "user_id", "state", "created_at"),
    Index(None, "user_id", "server_id", "digest"),
    Index(None, "state", "expires_at"),
    Index(None, "user_id", "settled_at", "id"),
    Index(None, "user_id", "created_at", "position", "id"),
    Index(None, "user_id", "server_id", "created_at", "position", "id"),
    Index(None, "user_id", "state", "server_id"),
    Index(None, "erased_at", "settled_at"),
    _partial("requests", "secrets", "secrets IS NOT NULL", "id"),
    _partial("requests", "sending", "delivery = 'sending'", "id"),
    _partial("requests", "possible_calls", "possible_calls IS NOT NULL", "user_id", "created_at"),
    _partial("requests", "opened", "opened_at IS NOT NULL", "user_id", "server_id", "created_at"),
    _partial("requests", "hosted_task_id", "hosted_task_id IS NOT NULL", "hosted_task_id"),
    _partial("requests", "hosted", "hosted_task_id IS NOT NULL", "user_id", "server_id", "created_at", "id"),
    _partial("requests", "agreed", AGREED, "user_id", "server_id", "created_at"),
    _partial("requests", "agreed_alike", AGREED, "user_id", "server_id", "digest", "call_name", "created_at"),
    _partial("requests", "approvals", "kind = 'approval'", "user_id", "created_at"),
)

is_sending = requests.c.delivery == literal_column("'sending'")
"""The condition that an answer is on its way, as the index on those has it: a parameter would not match."""

is_agreed = text(AGREED)
"""The condition that the user has said yes on a page, in the words of its index."""

drafts = Table(
    "drafts",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("request_id", _Id, primary_key=True),
    Column("texts", JSON, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("prefilled", Boolean, nullable=False, server_default=false()),
)

call_logs = Table(
    "call_logs",
    metadata,
    Column("call_id", _Id, primary_key=True),
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
    Column("way", String(32), nullable=False, server_default="local"),
    Column("idle_seconds", Integer),
    Column("idle_at", Moment),
    Column("provider_session", String(255)),
    Column("created_at", Moment),
    Column("used_at", Moment),
    Column("user_agent", String(255)),
    Column("address", String(255)),
)

nodes = Table(
    "nodes",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("generation", Integer, nullable=False),
    Column("started_at", Moment, nullable=False),
    # Of nodes that share the database, by its clock: such a node has its address as id, a sealed probe of its keys, and
    # digests of its settings.
    Column("seen_at", Moment),
    Column("leaving_at", Moment),
    Column("left_at", Moment),
    Column("version", Text),
    Column("probe", Text),
    Column("configuration", JSON),
)

placements = Table(
    "placements",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("node_id", String(255), index=True),
    Column("generation", Integer),
)

pending_sign_ins = Table(
    "pending_sign_ins",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False),
    Column("server_id", String(32), nullable=False),
    Column("issuer", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("new_scopes", JSON, nullable=False),
    Column("state_hash", String(64), nullable=False, index=True),
    Column("nonce_hash", String(64)),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("used_at", Moment),
    Column("secrets", Text, nullable=False),
    Index(None, "user_id", "server_id", unique=True),
)

grants = Table(
    "grants",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("server_id", String(32), primary_key=True),
    Column("issuer", Text, nullable=False),
    Column("resource", Text),
    Column("requested", JSON, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("expires_at", Moment),
    Column("version", Integer, nullable=False),
    Column("lease_until", Moment),
    Column("secrets", Text, nullable=False),
)

saved_sessions = Table(
    "saved_sessions",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("server_id", String(32), primary_key=True),
    Column("secrets", Text, nullable=False),
)

registrations = Table(
    "registrations",
    metadata,
    Column("user_id", String(255), primary_key=True),
    # Of the issuer and the address: an index takes no text of any length.
    Column("digest", String(64), primary_key=True),
    Column("issuer", Text, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("secrets", Text, nullable=False),
)

step_ups = Table(
    "step_ups",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("server_id", String(32), primary_key=True),
    Column("scope_digest", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("last_at", Moment, nullable=False),
)

sampling_spent = Table(
    "sampling_spent",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("server_id", String(32), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("costs", JSON, nullable=False),  # the sums by currency
)

task_choices = Table(
    "task_choices",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("server_id", String(32), primary_key=True),
    Column("tool_digest", String(64), primary_key=True),
)

embed_sessions = Table(
    "embed_sessions",
    metadata,
    Column("session_hash", String(64), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("embedder", String(64), nullable=False),
    Column("subject", String(255), nullable=False),
    # The application's own name for its session.
    Column("host_session", String(255)),
    Column("origin", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("ends_at", Moment, nullable=False, index=True),
    Column("created_at", Moment),
    Column("used_at", Moment),
    Column("user_agent", String(255)),
    Column("address", String(255)),
    Index(None, "embedder", "subject"),
    Index(None, "embedder", "host_session"),
)

# Sessions that were ended before their time, so that their frames are cleared.
ended_embed_sessions = Table(
    "ended_embed_sessions",
    metadata,
    Column("session_hash", String(64), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("embedder", String(64), nullable=False),
    Column("forgotten_at", Moment, nullable=False, index=True),
)
