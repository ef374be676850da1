"""Secrets that a call needs to survive a restart, in a column of their own until it does not need them any more.

The column beside them has none of them, so a secret is erased by emptying its column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, update

from webclient.domain.model import Json
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import also_own

_ERASE = update(requests).where(
    also_own(requests),
    requests.c.call_id == bindparam("of_call"),
    requests.c.secrets.is_not(None),
)
_ERASE_SOME = update(requests).where(
    also_own(requests),
    requests.c.id.in_(bindparam("ids", expanding=True)),
    requests.c.secrets.is_not(None),
)


def split_secrets(values: Mapping[str, Any], names: Collection[str]) -> tuple[Json, Json | None]:
    """Split `values` into (public, secret); in the first, secret values are None."""
    public = {name: None if name in names else value for name, value in values.items()}
    return public, {name: value for name, value in values.items() if name in names} or None


def erase_answer_secrets(db: Connection, user_id: str, call_id: str) -> None:
    """Erase the secrets of the answers in a call, within a unit of work."""
    if db.execute(_ERASE, {"of_user": user_id, "of_call": call_id, "secrets": None}).rowcount:
        scrub_after(db)


def erase_secrets(db: Connection, user_id: str, request_ids: Collection[str]) -> None:
    """Erase the secrets of these requests' answers, within a unit of work."""
    if db.execute(_ERASE_SOME, {"of_user": user_id, "ids": list(request_ids), "secrets": None}).rowcount:
        scrub_after(db)
