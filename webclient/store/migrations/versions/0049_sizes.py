"""Excerpts of questions, and the sizes of questions and calls, so that no list reads them whole."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"

_LONGEST = 300
_NUMBERS = (
    *(("requests", name) for name in ("parts", "size", "other_size")),
    *(("calls", name) for name in ("size", "result_size")),
)
_REQUESTS = sa.table(
    "requests",
    *(sa.column(name, sa.JSON) for name in ("params", "during", "content")),
    *(sa.column(name, sa.Text) for name in ("id", "kind", "state", "excerpt", "call_name")),
    *(sa.column(name, sa.Integer) for name in ("size", "other_size", "parts")),
)
_CALLS = sa.table(
    "calls",
    *(sa.column(name, sa.JSON) for name in ("arguments", "result")),
    *(sa.column(name, sa.Integer) for name in ("size", "result_size")),
)


def upgrade() -> None:
    """Add the columns, and fill them; fields and tools are counted in questions that are open."""
    op.add_column("requests", sa.Column("excerpt", sa.Text, nullable=False, server_default=""))
    op.add_column("requests", sa.Column("call_name", sa.Text))
    for table, name in _NUMBERS:
        op.add_column(table, sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    of = _REQUESTS.c
    message = sa.func.coalesce(of.params["message"].as_string(), "")
    op.execute(
        sa.update(_REQUESTS).values(
            excerpt=sa.func.substr(sa.func.trim(message), 1, _LONGEST),
            call_name=sa.func.substr(of.during["name"].as_string(), 1, _LONGEST),
            size=_length(of.params),
            other_size=_length(of.during) + _length(of.content),
        )
    )
    op.execute(sa.update(_CALLS).values(size=_length(_CALLS.c.arguments), result_size=_length(_CALLS.c.result)))
    _count_parts()


def _length(column: Any) -> Any:
    return sa.func.coalesce(sa.func.length(sa.cast(column, sa.Text)), 0)


def _count_parts() -> None:
    db = op.get_bind()
    of = _REQUESTS.c
    ids = list(db.execute(sa.select(of.id).where(of.state.in_(["pending", "waiting"]))).scalars())
    # One after the other: each may have megabytes.
    for id_ in ids:
        row = db.execute(sa.select(of.params, of.kind).where(of.id == id_)).one()
        params = json.loads(row.params) if isinstance(row.params, str) else row.params or {}
        values: dict[str, Any] = {"parts": _parts(params)}
        if row.kind == "sampling":
            values["excerpt"] = _last_text(params).replace("\0", " ").encode("utf-8", "replace").decode()[:_LONGEST]
        db.execute(sa.update(_REQUESTS).where(of.id == id_).values(**values))


def _parts(params: dict[str, Any]) -> int:
    schema = params.get("requestedSchema")
    parts = schema.get("properties") if isinstance(schema, dict) else params.get("tools")
    return len(parts) if isinstance(parts, dict | list) else 0


def _last_text(params: dict[str, Any]) -> str:
    messages = params.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        content = message.get("content") if isinstance(message, dict) else None
        blocks = content if isinstance(content, list) else [content]
        texts = [each["text"] for each in blocks if isinstance(each, dict) and isinstance(each.get("text"), str)]
        if texts:
            return str(texts[-1]).strip()
    return ""
