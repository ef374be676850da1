"""Erases entries of the history that are too old, a batch at a time: their values, or all of them.

Rows of all users are changed; calls and requests that are still open are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, bindparam, delete, false, func, or_, select, update
from sqlalchemy.sql.dml import Update

from webclient.domain.model import Json, Origin, RequestState, Sampling, now
from webclient.store.calls.calls import OPEN
from webclient.store.database.sizes import fitting, whole_size
from webclient.store.database.tables import call_logs, calls, is_sending, requests
from webclient.store.requests.answer_webhooks import remove_webhooks

BATCH = 100
"""Rows of a table that are changed together: other writers wait no longer than that takes, some 15 ms."""


def _erasing(table: Table, *columns: str) -> Update:
    return update(table).where(table.c.id == bindparam("of_id")).values({name: bindparam(name) for name in columns})


_ERASED = ("erased_at", "secrets", "values_text", "withheld")
# Built once, and executed with all rows of a batch: a statement made for each row takes ten times as long.
_ERASE_REQUEST = _erasing(requests, *_ERASED, "during", "params", "sampling", "content", "decline_message")
_ERASE_CALL = _erasing(calls, *_ERASED, "result", "progress", "error", "task", "arguments")


def erase_values(db: Connection, before: datetime) -> int:
    """Erase, within a transaction, the values of some entries that ended `before` then; return how many."""
    settled = _read_some(db, requests, whole_size, _settled(before))
    if settled:
        db.execute(_ERASE_REQUEST, [_without_answer(row) for row in settled])
    ended = _read_some(db, calls, calls.c.size + calls.c.result_size, _ended(before))
    if ended:
        db.execute(_ERASE_CALL, [_without_result(row) for row in ended])
        # What a server logged is as much its words as the result is.
        db.execute(delete(call_logs).where(call_logs.c.call_id.in_([row.id for row in ended])))
    return len(settled) + len(ended)


def _read_some(
    db: Connection, table: Table, size: ColumnElement[int], is_old: ColumnElement[bool]
) -> Sequence[Row[Any]]:
    """Read the first whole entries whose values are to be erased: as many as fit into the bytes of a page."""
    places = db.execute(select(table.c.id, size).where(is_old, table.c.erased_at.is_(None)).limit(BATCH)).all()
    ids = [row[0] for row in places[: fitting(row[1] for row in places)]]
    return db.execute(select(table).where(table.c.id.in_(ids))).all() if ids else []


def purge_entries(db: Connection, before: datetime) -> int:
    """Delete, within a transaction, some entries that ended `before` then; return how many."""
    dropped = 0
    for table, old in ((requests, _settled(before)), (calls, _ended(before))):
        # One after the other, because each is a range of the index on `erased_at`, and all are not.
        for erased in (table.c.erased_at <= now(), table.c.erased_at.is_(None)):
            ids = list(db.execute(select(table.c.id).where(old, erased).limit(BATCH)).scalars())
            db.execute(delete(table).where(table.c.id.in_(ids)))
            if table is calls:
                db.execute(delete(call_logs).where(call_logs.c.call_id.in_(ids)))
            else:
                remove_webhooks(db, ids)
            dropped += len(ids)
    return dropped


def _settled(before: datetime) -> ColumnElement[bool]:
    # The answers to one half of a round are needed until the other half is answered.
    running_calls = select(calls.c.id).where(calls.c.state.in_(OPEN))
    free = or_(requests.c.call_id.is_(None), requests.c.call_id.not_in(running_calls))
    # The server or program has not fetched the answer yet.
    unfetched = and_(requests.c.origin.in_([Origin.HOSTED, Origin.PROGRAM]), is_sending)
    ended = requests.c.state.not_in([RequestState.PENDING, RequestState.WAITING])
    return ended & (requests.c.settled_at < before) & free & ~func.coalesce(unfetched, false())


def _ended(before: datetime) -> ColumnElement[bool]:
    return calls.c.state.not_in(OPEN) & (calls.c.updated_at < before)


def _without_answer(row: Row[Any]) -> Json:
    during = row.during and {**row.during, "arguments": None}
    return {
        **_erased(row),
        "during": during,
        "params": row.params,
        "sampling": row.sampling,
        **_without_messages(row),
        "decline_message": None,
        **_names_of(row.content, "content", row),
    }


def _without_messages(row: Row[Any]) -> Json:
    # The messages of a sampling request repeat what people, models and tools wrote in the turns before.
    if row.sampling is None:
        return {}
    params = {name: value for name, value in row.params.items() if name != "systemPrompt"} | {"messages": []}
    return {"params": params, "sampling": Sampling.from_json(row.sampling).without_values().to_json()}


def _without_result(row: Row[Any]) -> Json:
    error = row.error and {name: value for name, value in row.error.items() if name != "data"}
    task = row.task and {**row.task, "status_message": None}
    return {
        **_erased(row),
        "result": None,
        "progress": None,
        "error": error,
        "task": task,
        **_names_of(row.arguments, "arguments", row),
    }


def _erased(row: Row[Any]) -> Json:
    return {"of_id": row.id, "erased_at": now(), "secrets": None, "values_text": ""}


def _names_of(values: Mapping[str, Any] | None, column: str, row: Row[Any]) -> Json:
    if not values:
        return {column: values, "withheld": row.withheld}
    return {column: dict.fromkeys(values), "withheld": sorted({*values, *(row.withheld or ())})}
