"""Secrets that are kept only as long as a call needs them to survive a restart, in a column of their own.

The column beside them holds nothing of them, so that letting go of a secret is to empty its column.
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
    """Empty, within a transaction, the secrets of the answers in a call; with True, `scrub` is due after it."""
    of_call = update(requests).where(requests.c.user_id == user_id, requests.c.call_id == call_id)
    erased = await db.execute(of_call.where(requests.c.secrets.is_not(None)).values(secrets=None))
    return erased.rowcount > 0


async def scrub(engine: AsyncEngine) -> None:
    """Take erased values out of the log as well, where earlier states of the rows stand until it is reused."""
    with suppress(StorageError):
        async with engine.connect() as db:
            if db.dialect.name == "sqlite":
                await db.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
