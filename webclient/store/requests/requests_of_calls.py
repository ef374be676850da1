"""The input requests of several calls together, for lists of calls."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, func, select

from webclient.domain.model import InputRequest, RequestState
from webclient.store.database.database import reads
from webclient.store.database.sizes import fitting, whole_size
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_search import PLACE, place_of
from webclient.store.requests.requests import requests_by_ids

_WITHOUT_ANSWER = (RequestState.DECLINED, RequestState.CANCELLED)

_OF_CALLS = also_own(requests), requests.c.call_id.in_(bindparam("calls", expanding=True))
_STATES = select(requests.c.call_id, requests.c.state, requests.c.via).where(*_OF_CALLS).order_by(*PLACE)
_SETTLED = *_OF_CALLS, requests.c.settled_at.is_not(None)
_COUNTS = select(requests.c.call_id, func.count().label("total")).where(*_SETTLED).group_by(requests.c.call_id)
_NUMBERED = (
    select(
        requests.c.id,
        whole_size,
        func.row_number().over(partition_by=requests.c.call_id, order_by=PLACE).label("number"),
    ).where(*_SETTLED)
).subquery("numbered")
_FIRST = (
    select(_NUMBERED.c.id, _NUMBERED.c.size)
    .where(_NUMBERED.c.number <= bindparam("most"))
    .order_by(_NUMBERED.c.number, _NUMBERED.c.id)
)


@dataclass(frozen=True, slots=True)
class SettledOfCall:
    """The first settled requests of a call, oldest first, and how many it has."""

    first: list[InputRequest] = field(default_factory=list)
    count: int = 0


class UserRequestsOfCalls(UserRows):
    """The input requests of the calls of one user."""

    @reads
    def unanswered(self, db: Connection, call_ids: Collection[str]) -> dict[str, RequestState]:
        """Return by call how the person ended its last request without an answer."""
        last = {row.call_id: row for row in db.execute(_STATES, self._own(calls=list(call_ids)))}
        # Without `via` it was not the person: a muted server is cancelled by itself.
        ended = {call_id: RequestState(row.state) for call_id, row in last.items() if row.via is not None}
        return {call_id: state for call_id, state in ended.items() if state in _WITHOUT_ANSWER}

    @reads
    def settled(self, db: Connection, call_ids: Collection[str], limit: int) -> dict[str, SettledOfCall]:
        """Return the settled requests of these calls by call, at most `limit` of each.

        There may be fewer: as many as fit into the bytes of a page, the first of each call before the second of any.
        """
        own = self._own(calls=list(call_ids))
        found = {row.call_id: SettledOfCall(count=row.total) for row in db.execute(_COUNTS, own)}
        first = db.execute(_FIRST, {**own, "most": limit}).all()
        ids = [row.id for row in first[: fitting(row.size for row in first)]]
        for request in sorted(requests_by_ids(db, self._own(), ids).values(), key=place_of) if ids else ():
            found[request.call_id or ""].first.append(request)
        return found
