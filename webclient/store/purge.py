"""Erases entries of the history that are too old, a batch at a time: their values, or all of them.

Rows of all users are changed; calls and requests that are still open are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, false, func, or_, select, update

from webclient.model import Came, Json, RequestState, Sampling, now
from webclient.store.calls import OPEN
from webclient.store.tables import call_logs, calls, is_sending, requests

BATCH = 100
"""Rows that are changed together: other writers wait no longer than that takes."""


def erase_values(db: Connection, before: datetime) -> int:
    """Erase, within a transaction, the values of some entries that ended `before` then; return how many."""
    old = select(requests).where(_settled(before), requests.c.erased_at.is_(None)).limit(BATCH)
    settled = db.execute(old).all()
    for row in settled:
        db.execute(update(requests).where(requests.c.id == row.id).values(_without_answer(row)))
    old = select(calls).where(_ended(before), calls.c.erased_at.is_(None)).limit(BATCH)
    ended = db.execute(old).all()
    for row in ended:
        db.execute(update(calls).where(calls.c.id == row.id).values(_without_result(row)))
    # What a server logged is as much its words as the result is.
    db.execute(delete(call_logs).where(call_logs.c.call_id.in_([row.id for row in ended])))
    return len(settled) + len(ended)


def drop_entries(db: Connection, before: datetime) -> int:
    """Delete, within a transaction, some entries that ended `before` then; return how many."""
    dropped = 0
    for table, old in ((requests, _settled(before)), (calls, _ended(before))):
        # One after the other, because each is a range of the index on `erased_at`, and all are not.
        for erased in (table.c.erased_at <= now(), table.c.erased_at.is_(None)):
            ids = list(db.execute(select(table.c.id).where(old, erased).limit(BATCH)).scalars())
            db.execute(delete(table).where(table.c.id.in_(ids)))
            if table is calls:
                db.execute(delete(call_logs).where(call_logs.c.call_id.in_(ids)))
            dropped += len(ids)
    return dropped


def _settled(before: datetime) -> ColumnElement[bool]:
    # The answers to one half of a round are needed until the other half is answered.
    running_calls = select(calls.c.id).where(calls.c.state.in_(OPEN))
    free = or_(requests.c.call_id.is_(None), requests.c.call_id.not_in(running_calls))
    # The server has not fetched the answer yet.
    unfetched = and_(requests.c.came == Came.HOSTED, is_sending)
    ended = requests.c.state.not_in([RequestState.PENDING, RequestState.WAITING])
    return ended & (requests.c.settled_at < before) & free & ~func.coalesce(unfetched, false())


def _ended(before: datetime) -> ColumnElement[bool]:
    return calls.c.state.not_in(OPEN) & (calls.c.updated_at < before)


def _without_answer(row: Row[Any]) -> Json:
    during = row.during and {**row.during, "arguments": None}
    gone = {"during": during, "erased_at": now(), "secrets": None, "values_text": ""}
    return {**gone, **_without_messages(row), **_names_of(row.content, "content", row)}


def _without_messages(row: Row[Any]) -> Json:
    # The messages of a sampling request repeat what people, models and tools wrote in the turns before.
    if row.sampling is None:
        return {}
    params = {name: value for name, value in row.params.items() if name != "systemPrompt"} | {"messages": []}
    return {"params": params, "sampling": Sampling.from_json(row.sampling).without_values().to_json()}


def _without_result(row: Row[Any]) -> Json:
    error = row.error and {name: value for name, value in row.error.items() if name != "data"}
    gone = {"result": None, "progress": None, "error": error, "erased_at": now(), "secrets": None, "values_text": ""}
    gone["task"] = row.task and {**row.task, "status_message": None}
    return gone | _names_of(row.arguments, "arguments", row)


def _names_of(values: Mapping[str, Any] | None, column: str, row: Row[Any]) -> Json:
    if not values:
        return {}
    return {column: dict.fromkeys(values), "withheld": sorted({*values, *(row.withheld or ())})}
