"""The rows of the inbox: what is open, what is answered and waits for the rest of its round, and what was settled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, func, literal, not_, or_, select

from webclient.domain.model import Delivery, ListedRequest, RequestState, weight_of
from webclient.store.database.database import reads
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_columns import LISTED, listed_of
from webclient.store.requests.request_lists import listed_by_ids

_OWN = requests.c.user_id == bindparam("of_user")
_OF_OWN = also_own(requests)
_OPEN = requests.c.state.in_([RequestState.PENDING, RequestState.WAITING])
_SAVED = requests.c.delivery == Delivery.SAVED
_OF_CALLS = requests.c.call_id.in_(bindparam("calls", expanding=True))

_NEVER = datetime.max.replace(tzinfo=UTC)

# Sorted after they are read: of what is open there is little.
_OPEN_PLACES = select(
    requests.c.expires_at,
    requests.c.created_at,
    requests.c.position,
    requests.c.id,
    requests.c.server_id,
    requests.c.call_id,
    requests.c.risk,
).where(_OWN, _OPEN)
_OPEN_OF_CALLS = select(*LISTED).where(_OF_OWN, _OF_CALLS, or_(_OPEN, _SAVED))
_ALIKE = select(*LISTED).where(
    _OWN,
    requests.c.state == RequestState.PENDING,
    requests.c.brief["alike"].as_string().in_(bindparam("keys", expanding=True)),
)
# All servers for "". It matches no index, so that the newest are found by their moments.
_OF_SERVER = or_(bindparam("of_server", type_=Text) == "", requests.c.server_id == bindparam("of_server"))
# An opened link has a moment too, and is still open.
_SINCE = (_OWN, requests.c.settled_at >= bindparam("since"), not_(_OPEN))
_DONE = (*_SINCE, requests.c.delivery.is_distinct_from(Delivery.SAVED), _OF_SERVER)
_NEWEST_DONE = select(*LISTED).where(*_DONE).order_by(requests.c.settled_at.desc()).limit(bindparam("most"))


def _count(*conditions: ColumnElement[bool]) -> Select[int]:
    found = select(literal(1)).where(*conditions).limit(bindparam("most")).subquery("found")
    return select(func.count()).select_from(found)


_COUNT_SETTLED, _COUNT_DONE = _count(*_SINCE), _count(*_DONE)


@dataclass(frozen=True, slots=True)
class InboxRows:
    """The rows of the inbox, in no order.

    `found` are the first open requests, with all that are open or saved of their calls, `open_count` is the number of
    all open ones, and `settled` are the newest that do not wait for their round.
    """

    found: list[ListedRequest] = field(default_factory=list)
    open_count: int = 0
    settled: list[ListedRequest] = field(default_factory=list)


class UserInbox(UserRows):
    """The rows of one user's inbox."""

    @reads
    def read(
        self, db: Connection, limit: int, since: datetime, settled_limit: int, *, server_id: str = ""
    ) -> InboxRows:
        """Return the inbox: about `limit` open requests and `settled_limit` of those settled `since`.

        The gravest risks are the first, then those that expire first, then the oldest.
        With `server_id`, only those of that server.
        """
        own = self._own()
        places = [row for row in db.execute(_OPEN_PLACES, own) if server_id in ("", row.server_id)]
        places.sort(key=_place)
        alone = [row.id for row in places[:limit] if row.call_id is None]
        calls = {row.call_id for row in places[:limit] if row.call_id}
        found = list(listed_by_ids(db, own, alone).values()) if alone else []
        if calls:
            found += map(listed_of, db.execute(_OPEN_OF_CALLS, {**own, "calls": list(calls)}))
        settled = db.execute(_NEWEST_DONE, {**own, "since": since, "of_server": server_id, "most": settled_limit})
        return InboxRows(found, len(places), [listed_of(row) for row in settled])

    @reads
    def of_calls(self, db: Connection, call_ids: Collection[str]) -> list[ListedRequest]:
        """Return the requests of these calls that are open, or answered and not sent yet."""
        return [listed_of(row) for row in db.execute(_OPEN_OF_CALLS, self._own(calls=list(call_ids)))]

    @reads
    def alike(self, db: Connection, keys: Collection[str]) -> list[ListedRequest]:
        """Return the proposed calls that wait under one of these keys, oldest first."""
        found = [listed_of(row) for row in db.execute(_ALIKE, self._own(keys=list(keys)))]
        return sorted(found, key=lambda each: (each.created_at, each.id))

    @reads
    def count_settled(self, db: Connection, since: datetime, limit: int) -> int:
        """Return how many requests were settled `since`, at most `limit`; also those that wait for their round."""
        return db.execute(_COUNT_SETTLED, self._own(since=since, most=limit)).scalar_one()

    @reads
    def count_done(self, db: Connection, since: datetime, limit: int, *, server_id: str = "") -> int:
        """Return how many requests `read` would find settled `since`, at most `limit`."""
        return db.execute(_COUNT_DONE, self._own(since=since, of_server=server_id, most=limit)).scalar_one()


def _place(row: Any) -> tuple[int, datetime, datetime, int, str]:
    return -weight_of(row.risk), row.expires_at or _NEVER, row.created_at, row.position, row.id
