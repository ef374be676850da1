"""Tables for programs: their tokens, the programs that users have muted, and webhooks that deliver answers.

`tables.py` has the rules for all.
"""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, Integer, String, Table, Text

from webclient.store.database.tables import Moment, metadata

program_tokens = Table(
    "program_tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("token_hash", String(64), nullable=False, index=True),
    Column("label", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("hint", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("used_at", Moment),
    Column("revoked_at", Moment),
    Column("muted_at", Moment),
    Column("may_ask", JSON(none_as_null=True)),
    Column("servers", JSON(none_as_null=True)),
    Column("patience", Float),
    Column("user_header", String(100)),
    Column("learned_patience", Float),
    Column("passes_on", Boolean),
)

muted_programs = Table(
    "muted_programs",
    metadata,
    Column("user_id", String(255), primary_key=True),
    Column("asker_id", String(64), primary_key=True),
    Column("label", Text, nullable=False),
    Column("muted_at", Moment, nullable=False),
)


answer_webhooks = Table(
    "answer_webhooks",
    metadata,
    Column("request_id", String(32), primary_key=True),
    Column("user_id", String(255), nullable=False, index=True),
    Column("failures", Integer, nullable=False),
    Column("failure", String(64), nullable=False),
    Column("next_at", Moment, index=True),
    Column("ended_at", Moment),
    Column("secrets", Text),  # sealed: the address and the secret that signs; erased at the end
)
