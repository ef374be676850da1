"""Secrets that a call needs to survive a restart, in a column of their own until it does not need them any more.

The column beside them has none of them, so a secret is erased by emptying its column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from webclient.model import Json
from webclient.store.storage_errors import StorageError
from webclient.store.tables import requests


def split_secrets(values: Mapping[str, Any], names: Collection[str]) -> tuple[Json, Json | None]:
    """Split `values` into (public, secret); in the first, secret values are None."""
    public = {name: None if name in names else value for name, value in values.items()}
    return public, {name: value for name, value in values.items() if name in names} or None


async def erase_answer_secrets(db: AsyncConnection, user_id: str, call_id: str) -> bool:
    """Erase the secrets of the answers in a call, within a transaction; if True, `scrub` after it."""
    of_call = update(requests).where(requests.c.user_id == user_id, requests.c.call_id == call_id)
    erased = await db.execute(of_call.where(requests.c.secrets.is_not(None)).values(secrets=None))
    return erased.rowcount > 0


async def scrub(engine: AsyncEngine) -> None:
    """Erase earlier states of rows from the log, which has them until it is reused."""
    with suppress(StorageError):
        async with engine.connect() as db:
            if db.dialect.name == "sqlite":
                await db.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
