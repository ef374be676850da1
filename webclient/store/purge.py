"""Erases entries of the history that are too old, a batch at a time: their values, or all of them.

Rows of all users are changed; calls and requests that are still open are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from webclient.model import Json, RequestState, now
from webclient.store.calls import OPEN
from webclient.store.tables import call_logs, calls, requests

BATCH = 100
"""Rows that are changed together: other writers wait no longer than that takes."""


async def erase_values(db: AsyncConnection, before: datetime) -> int:
    """Erase, within a transaction, the values of some entries that ended `before` then; return how many."""
    old = select(requests).where(_settled(before), requests.c.erased_at.is_(None)).limit(BATCH)
    settled = (await db.execute(old)).all()
    for row in settled:
        await db.execute(update(requests).where(requests.c.id == row.id).values(_without_answer(row)))
    old = select(calls).where(_ended(before), calls.c.erased_at.is_(None)).limit(BATCH)
    ended = (await db.execute(old)).all()
    for row in ended:
        await db.execute(update(calls).where(calls.c.id == row.id).values(_without_result(row)))
    # What a server logged is as much its words as the result is.
    await db.execute(delete(call_logs).where(call_logs.c.call_id.in_([row.id for row in ended])))
    return len(settled) + len(ended)


async def drop_entries(db: AsyncConnection, before: datetime) -> int:
    """Delete, within a transaction, some entries that ended `before` then; return how many."""
    dropped = 0
    for table, old in ((requests, _settled(before)), (calls, _ended(before))):
        some = select(table.c.id).where(old).limit(BATCH)
        dropped += (await db.execute(delete(table).where(table.c.id.in_(some)))).rowcount
    if dropped:
        await db.execute(delete(call_logs).where(call_logs.c.call_id.not_in(select(calls.c.id))))
    return dropped


def _settled(before: datetime) -> ColumnElement[bool]:
    # The answers to one half of a round are needed until the other half is answered.
    running_calls = select(calls.c.id).where(calls.c.state.in_(OPEN))
    free = or_(requests.c.call_id.is_(None), requests.c.call_id.not_in(running_calls))
    return (
        requests.c.state.not_in([RequestState.PENDING, RequestState.WAITING]) & (requests.c.settled_at < before) & free
    )


def _ended(before: datetime) -> ColumnElement[bool]:
    return calls.c.state.not_in(OPEN) & (calls.c.updated_at < before)


def _without_answer(row: Row[Any]) -> Json:
    during = row.during and {**row.during, "arguments": None}
    return {"during": during, "erased_at": now(), "secrets": None, **_names_of(row.content, "content", row)}


def _without_result(row: Row[Any]) -> Json:
    error = row.error and {name: value for name, value in row.error.items() if name != "data"}
    gone = {"result": None, "progress": None, "error": error, "erased_at": now(), "secrets": None}
    return gone | _names_of(row.arguments, "arguments", row)


def _names_of(values: Mapping[str, Any] | None, column: str, row: Row[Any]) -> Json:
    if not values:
        return {}
    return {column: dict.fromkeys(values), "withheld": sorted({*values, *(row.withheld or ())})}
