"""How much is open, of all users together: for monitoring, which may know counts and ages only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from webclient.domain.model import CallState, RequestState
from webclient.store.database.program_tables import answer_webhooks
from webclient.store.database.tables import calls, requests

# Each finds its rows by an index that begins with the state.
_PENDING = (
    select(requests.c.kind, func.count(), func.min(requests.c.created_at))
    .where(requests.c.state == RequestState.PENDING)
    .group_by(requests.c.kind)
)
_OPEN = (
    select(calls.c.state, func.count())
    .where(calls.c.state.in_([state for state in CallState if not state.ended]))
    .group_by(calls.c.state)
)
# By the index on the moment of the next attempt, which only webhooks of settled requests have.
_FAILING = select(func.count()).where(answer_webhooks.c.next_at.is_not(None), answer_webhooks.c.failures > 0)


@dataclass(frozen=True, slots=True)
class OpenCounts:
    """Pending requests and the moment of the oldest by kind, and calls that have not ended by state.

    `failing_webhooks` brought no program its answer so far, and are sent again.
    """

    pending: Mapping[str, int]
    calls: Mapping[str, int]
    oldest: Mapping[str, datetime]
    failing_webhooks: int


def open_counts(db: Connection) -> OpenCounts:
    """Return how much is open."""
    pending = [(row[0], row[1], row[2]) for row in db.execute(_PENDING)]
    return OpenCounts(
        pending={kind: count for kind, count, _oldest in pending},
        calls={row[0]: row[1] for row in db.execute(_OPEN)},
        oldest={kind: oldest for kind, _count, oldest in pending},
        failing_webhooks=db.execute(_FAILING).scalar_one(),
    )
