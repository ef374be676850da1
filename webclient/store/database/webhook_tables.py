"""The table of the webhooks that bring programs their answers; `tables.py` has the rules for all."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Text

from webclient.store.database.tables import Moment, metadata

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
