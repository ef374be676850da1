"""What an earlier process left open: which calls can resume, and how everything else ends."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from webclient.model import CallState, Came, Delivery, Reason, RequestState, now
from webclient.store.calls import OPEN
from webclient.store.drafts import forget_old_drafts
from webclient.store.reason_columns import reason_columns
from webclient.store.tables import calls, requests


def resumable() -> Select[Any]:
    """Return the query for open calls that have a checkpoint."""
    return select(calls).where(calls.c.state.in_(OPEN), calls.c.checkpoint.is_not(None))


async def interrupt(db: AsyncConnection, reason: Reason, error: dict[str, Any], resumed: Collection[str]) -> None:
    """End, within a transaction, all open calls and requests except the `resumed` calls and theirs."""
    ended = update(calls).where(calls.c.state.in_(OPEN), calls.c.id.not_in(list(resumed)))
    await db.execute(ended.values(state=CallState.INTERRUPTED, error=error, checkpoint=None, updated_at=now()))
    others = _not_of(resumed)
    # A link that was pushed goes on waiting: its server was answered.
    opened = and_(requests.c.state == RequestState.WAITING, requests.c.came != Came.PUSHED)
    left = update(requests).where(or_(requests.c.state == RequestState.PENDING, opened), others)
    await db.execute(left.values(state=RequestState.INTERRUPTED, settled_at=now(), **reason_columns(reason)))
    # Answers that were on their way did not arrive, as far as can be known.
    sending = update(requests).where(requests.c.delivery == Delivery.SENDING, others)
    await db.execute(sending.values(delivery=Delivery.FAILED))
    for table, which in ((calls, calls.c.id.not_in(list(resumed))), (requests, others)):
        await db.execute(update(table).where(table.c.secrets.is_not(None), which).values(secrets=None))
    await forget_old_drafts(db)


def _not_of(resumed: Collection[str]) -> ColumnElement[bool]:
    return or_(requests.c.call_id.is_(None), requests.c.call_id.not_in(list(resumed)))
