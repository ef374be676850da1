"""The tables of users and of the audit trail; `tables.py` has the rules for all."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Index, Integer, String, Table, Text, text

from webclient.store.database.tables import Moment, metadata

_IS_DISABLED = text("disabled_at IS NOT NULL")

users = Table(
    "users",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("issuer", String(255), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("disabled_at", Moment),
    # Null as long as no way has recognised the user, whom an administrator has added.
    Column("signed_in_at", Moment),
    Column("erasing_at", Moment),
    Index(None, "issuer", "subject", unique=True),
    Index(None, "created_at", "id"),
    # A look each second reads them.
    Index("ix_users_disabled", "id", sqlite_where=_IS_DISABLED, postgresql_where=_IS_DISABLED),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Moment, nullable=False, index=True),
    # Not erased with the user: an id says nothing without the row of the user.
    Column("user_id", String(255), nullable=False, index=True),
    Column("way", String(32), nullable=False),
    Column("address", String(255), nullable=False),
    Column("action", String(32), nullable=False),
    Column("object", String(255), nullable=False, index=True),
    Column("outcome", String(32), nullable=False),
    Column("credential", String(80), nullable=False, server_default=""),
    # Erased with the user: these are their names and addresses.
    Column("details", JSON(none_as_null=True)),
)

# One row for all rules of a user, because their order is part of them; those of administrators are of no user.
rules = Table(
    "rules",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("rules", JSON(none_as_null=True), nullable=False),
    Column("changed_at", Moment, nullable=False),
)

saved_identities = Table(
    "saved_identities",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("provider_session", String(255)),
    Column("secrets", Text, nullable=False),
)

used_tokens = Table(
    "used_tokens",
    metadata,
    # Of the issuer and the id of the token.
    Column("digest", String(64), primary_key=True),
    Column("expires_at", Moment, nullable=False, index=True),
)
