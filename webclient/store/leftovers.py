"""Leftovers of an earlier run of this node, or of a user's earlier node: which calls resume, and how the rest ends."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Select, and_, or_, select, update

from webclient.domain.model import CallError, CallState, Delivery, Origin, Reason, ReasonCode, RequestState, now
from webclient.store.calls.calls import OPEN
from webclient.store.database.node import Node
from webclient.store.database.reasons import error_json, reason_columns
from webclient.store.database.tables import calls, is_sending, requests
from webclient.store.requests.drafts import purge_drafts


def resumable(node: Node, user_id: str | None = None) -> Select[Any]:
    """Return the query for open calls of an earlier run that have a checkpoint."""
    return select(calls).where(node.has_left(calls, user_id), calls.c.state.in_(OPEN), calls.c.checkpoint.is_not(None))


def take_over(db: Connection, node: Node, call_ids: Collection[str], user_id: str | None = None) -> None:
    """Make these calls of an earlier run, their requests, and the hosted ones this run's; within a transaction."""
    for table, ids in ((calls, calls.c.id), (requests, requests.c.call_id)):
        db.execute(update(table).where(node.has_left(table, user_id), ids.in_(list(call_ids))).values(node.columns))
    # A server fetches the answer whenever it asks for it, from this run as well.
    hosted = update(requests).where(requests.c.hosted_task_id.is_not(None), node.has_left(requests, user_id))
    of_ended = requests.c.call_id.is_not(None), requests.c.call_id.not_in(list(call_ids))
    early = reason_columns(Reason(ReasonCode.CALL_ENDED_EARLY))
    db.execute(hosted.where(requests.c.state == RequestState.PENDING, *of_ended).values(early))
    db.execute(hosted.values(node.columns))


def leave_over(db: Connection, node: Node, user_id: str) -> None:
    """Make what a user has open of this run an earlier run's, within a transaction: nothing here goes on with it."""
    open_calls = calls.c.state.in_(OPEN)
    open_requests = or_(requests.c.state.in_([RequestState.PENDING, RequestState.WAITING]), is_sending)
    for table, is_open in ((calls, open_calls), (requests, open_requests)):
        ours = table.c.user_id == user_id, node.owns(table), is_open
        db.execute(update(table).where(*ours).values(generation=node.generation - 1))


def end_leftovers(db: Connection, node: Node, reason: Reason, user_id: str | None = None) -> None:
    """End all calls and requests that are still of an earlier run, within a transaction."""
    left_open = node.has_left(calls, user_id), calls.c.state.in_(OPEN)
    # What was saved for a round of such a call will not be sent.
    saved = requests.c.call_id.in_(select(calls.c.id).where(*left_open)), requests.c.delivery == Delivery.SAVED
    db.execute(update(requests).where(*saved).values(delivery=Delivery.FAILED))
    open_calls = update(calls).where(*left_open)
    error = error_json(CallError(reason=reason))
    db.execute(open_calls.values(state=CallState.INTERRUPTED, error=error, checkpoint=None, updated_at=now()))
    left = update(requests).where(node.has_left(requests, user_id))
    # A link that was pushed goes on waiting: its server was answered.
    opened = and_(
        requests.c.state == RequestState.WAITING,
        requests.c.origin.not_in([Origin.PUSHED, Origin.HOSTED, Origin.PROGRAM]),
    )
    open_requests = left.where(or_(requests.c.state == RequestState.PENDING, opened))
    db.execute(open_requests.values(state=RequestState.INTERRUPTED, settled_at=now(), **reason_columns(reason)))
    # Answers that were on their way may have arrived: this program was not there any more to see it.
    db.execute(left.where(is_sending).values(delivery=Delivery.UNKNOWN))
    for table in (calls, requests):
        secret = node.has_left(table, user_id), table.c.secrets.is_not(None)
        db.execute(update(table).where(*secret).values(secrets=None))
    purge_drafts(db)
