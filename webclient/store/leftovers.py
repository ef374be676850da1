"""What an earlier run of this node left open: which calls can resume, and how everything else ends."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from webclient.model import CallError, CallState, Came, Delivery, Reason, RequestState, now
from webclient.store.calls import OPEN
from webclient.store.drafts import forget_old_drafts
from webclient.store.node import Node
from webclient.store.reasons import error_json, reason_columns
from webclient.store.tables import calls, requests


def resumable(node: Node) -> Select[Any]:
    """Return the query for open calls of an earlier run that have a checkpoint."""
    return select(calls).where(node.has_left(calls), calls.c.state.in_(OPEN), calls.c.checkpoint.is_not(None))


async def take_over(db: AsyncConnection, node: Node, call_ids: Collection[str]) -> None:
    """Make these calls of an earlier run, and their requests, this run's; within a transaction."""
    for table, ids in ((calls, calls.c.id), (requests, requests.c.call_id)):
        await db.execute(update(table).where(node.has_left(table), ids.in_(list(call_ids))).values(node.columns))


async def end_leftovers(db: AsyncConnection, node: Node, reason: Reason) -> None:
    """End all calls and requests that are still of an earlier run, within a transaction."""
    open_calls = update(calls).where(node.has_left(calls), calls.c.state.in_(OPEN))
    error = error_json(CallError(reason=reason))
    await db.execute(open_calls.values(state=CallState.INTERRUPTED, error=error, checkpoint=None, updated_at=now()))
    left = update(requests).where(node.has_left(requests))
    # A link that was pushed goes on waiting: its server was answered.
    opened = and_(requests.c.state == RequestState.WAITING, requests.c.came != Came.PUSHED)
    open_requests = left.where(or_(requests.c.state == RequestState.PENDING, opened))
    await db.execute(open_requests.values(state=RequestState.INTERRUPTED, settled_at=now(), **reason_columns(reason)))
    # Answers that were on their way did not arrive, as far as can be known.
    await db.execute(left.where(requests.c.delivery == Delivery.SENDING).values(delivery=Delivery.FAILED))
    for table in (calls, requests):
        secret = node.has_left(table), table.c.secrets.is_not(None)
        await db.execute(update(table).where(*secret).values(secrets=None))
    await forget_old_drafts(db)
