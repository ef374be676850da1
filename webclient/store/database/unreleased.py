"""Upgrades databases of the last versions before the first release to the baseline.

Only development machines have such databases. Once they are upgraded, this module goes as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection

from webclient.store.database.own_connection import scrub_after
from webclient.store.database.tables import calls, requests

if TYPE_CHECKING:
    from alembic.operations import Operations

BASELINE = "0100"
"""The revision of the tables of version 0.1.0."""

_EXCERPT = 300
"""Characters of a question that lists show."""


def upgrade_unreleased(connection: Connection, found: str) -> None:
    """Bring the tables from the revision `found`, one of `UNRELEASED`, to the baseline; `_tidy` drops a column."""
    # It is loaded only if it is needed, as in `migrate`.
    from alembic.operations import Operations  # noqa: PLC0415
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415

    op = Operations(MigrationContext.configure(connection))
    for revision, step in _STEPS.items():
        if revision > found:
            step(op)
    connection.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": BASELINE})


def seal_plain_values(db: Connection) -> None:
    """Seal secret values that versions before 0049 left plain; a unit of work."""
    for table in (calls, requests):
        plain = sa.type_coerce(table.c.secrets, sa.JSON)
        for row in db.execute(sa.select(table.c.id, plain.label("plain")).where(table.c.secrets.is_not(None))).all():
            if isinstance(row.plain, dict):
                db.execute(sa.update(table).where(table.c.id == row.id).values(secrets=row.plain))
                scrub_after(db)


def _add_audit_details(op: Operations) -> None:
    op.add_column("audit", sa.Column("credential", sa.String(80), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("details", sa.JSON))


def _add_sizes(op: Operations) -> None:
    op.add_column("requests", sa.Column("excerpt", sa.Text, nullable=False, server_default=""))
    op.add_column("requests", sa.Column("call_name", sa.Text))
    for table, names in {"requests": ("parts", "size", "other_size"), "calls": ("size", "result_size")}.items():
        for name in names:
            op.add_column(table, sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    of = _OF_REQUESTS
    op.execute(
        sa.update(_REQUESTS).values(
            excerpt=sa.func.substr(sa.func.trim(sa.func.coalesce(of.params["message"].as_string(), "")), 1, _EXCERPT),
            call_name=sa.func.substr(of.during["name"].as_string(), 1, _EXCERPT),
            size=_length(of.params),
            other_size=_length(of.during) + _length(of.content),
        )
    )
    op.execute(sa.update(_CALLS).values(size=_length(_CALLS.c.arguments), result_size=_length(_CALLS.c.result)))
    db = op.get_bind()
    ids = list(db.execute(sa.select(of.id).where(of.state.in_(["pending", "waiting"]))).scalars())
    # One after the other: each may have megabytes.
    for id_ in ids:
        row = db.execute(sa.select(of.params, of.kind).where(of.id == id_)).one()
        values: dict[str, Any] = {"parts": _parts(row.params or {})}
        if row.kind == "sampling":
            last = _last_text(row.params).replace("\0", " ").encode("utf-8", "replace").decode()
            values["excerpt"] = last[:_EXCERPT]
        db.execute(sa.update(_REQUESTS).where(of.id == id_).values(**values))


def _add_decline_message(op: Operations) -> None:
    op.add_column("requests", sa.Column("decline_message", sa.Text))


def _add_administration(op: Operations) -> None:
    op.add_column("users", sa.Column("erasing_at", sa.DateTime))
    for name in ("at", "user_id", "object"):
        op.create_index(f"ix_audit_{name}", "audit", [name])


def _add_indexes_of_users(op: Operations) -> None:
    disabled = sa.text("disabled_at IS NOT NULL")
    op.create_index("ix_users_created_at_id", "users", ["created_at", "id"])
    op.create_index("ix_users_disabled", "users", ["id"], sqlite_where=disabled, postgresql_where=disabled)


def _add_ended_embed_sessions(op: Operations) -> None:
    op.create_table(
        "ended_embed_sessions",
        sa.Column("session_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(255), nullable=False),
        sa.Column("embedder", sa.String(64), nullable=False),
        sa.Column("forgotten_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("session_hash", name="pk_ended_embed_sessions"),
    )
    op.create_index("ix_ended_embed_sessions_user_id", "ended_embed_sessions", ["user_id"])
    op.create_index("ix_ended_embed_sessions_forgotten_at", "ended_embed_sessions", ["forgotten_at"])


def _tidy(op: Operations) -> None:
    # Entries from before reasons had codes lose their sentence; all later ones have NULL here.
    op.drop_column("requests", "reason")
    # The table was renamed.
    with op.batch_alter_table("browser_sessions", recreate="auto") as batch:
        batch.drop_constraint("pk_sign_ins", type_="primary")
        batch.create_primary_key("pk_browser_sessions", ["session_hash"])
    _complete_rows(op.get_bind())


def _complete_rows(db: Connection) -> None:
    """Write what rows of the first versions lack: who asked was always a server, and nothing was withheld."""
    of = _OF_REQUESTS
    no_kind = of.asked_by["kind"].as_string().is_(None)
    no_names = of.during["withheld"].as_string().is_(None) & of.during["kind"].as_string().is_not(None)
    for row in db.execute(sa.select(of.id, of.asked_by, of.during).where(no_kind | no_names)).all():
        values = {"asked_by": {"kind": "server", **row.asked_by}}
        if row.during is not None:
            values["during"] = {"withheld": [], **row.during}
        db.execute(sa.update(_REQUESTS).where(of.id == row.id).values(**values))


_REQUESTS = sa.table(
    "requests",
    *(sa.column(name, sa.JSON(none_as_null=True)) for name in ("params", "during", "content", "asked_by")),
    *(sa.column(name, sa.Text) for name in ("id", "kind", "state", "excerpt", "call_name")),
    *(sa.column(name, sa.Integer) for name in ("size", "other_size", "parts")),
)
_OF_REQUESTS = _REQUESTS.c
_CALLS = sa.table(
    "calls",
    *(sa.column(name, sa.JSON) for name in ("arguments", "result")),
    *(sa.column(name, sa.Integer) for name in ("size", "result_size")),
)


def _length(column: Any) -> Any:
    return sa.func.coalesce(sa.func.length(sa.cast(column, sa.Text)), 0)


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


_STEPS: Mapping[str, Callable[[Operations], None]] = {
    "0048": _add_audit_details,
    "0049": _add_sizes,
    "0050": _add_decline_message,
    "0051": _add_administration,
    "0052": _add_indexes_of_users,
    "0053": _add_ended_embed_sessions,
    BASELINE: _tidy,
}
"""The step to each revision, oldest first."""

UNRELEASED = ("0047", *_STEPS)[:-1]
"""The revisions from which a database is upgraded."""
