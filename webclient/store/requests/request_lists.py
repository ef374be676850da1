"""Lists of requests that are bounded in bytes, or made of rows without parameters.

A question may have a quarter of a megabyte, and hundreds may wait: a list that reads them whole costs as much as all of
them, for each of its readers.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from webclient.domain.model import InputRequest, Json, ListedRequest, RequestState
from webclient.store.database.database import reads
from webclient.store.database.sizes import fitting
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_columns import LISTED, listed_of
from webclient.store.requests.request_search import PLACE, Wanted, found_rows, place_of
from webclient.store.requests.requests import requests_by_ids

_OWN = requests.c.user_id == bindparam("of_user")
_BY_IDS = select(*LISTED).where(also_own(requests), requests.c.id.in_(bindparam("ids", expanding=True)))
_PENDING_FROM = select(*LISTED).where(
    _OWN, requests.c.state == RequestState.PENDING, requests.c.server_id == bindparam("of_server")
)
_OF_CALL = select(*LISTED).where(also_own(requests), requests.c.call_id == bindparam("of_call"))
_WITHOUT_CALL = (
    select(*LISTED)
    .where(_OWN, requests.c.server_id == bindparam("of_server"), requests.c.call_id.is_(None))
    .where(requests.c.created_at >= bindparam("since"), requests.c.created_at <= bindparam("until"))
    .order_by(*PLACE)
    .limit(bindparam("most"))
)


class UserRequestLists(UserRows):
    """Lists of one user's requests."""

    @reads
    def page(self, db: Connection, wanted: Wanted, limit: int) -> tuple[list[InputRequest], bool]:
        """Return the newest `limit` whole requests, oldest first, and whether there are more.

        There may be fewer: as many as fit into the bytes of a page, without a look at the others.
        """
        own = self._own()
        places = found_rows(db, own, wanted, limit + 1, whole=False)
        count = fitting(row.size for row in places[::-1][:limit])
        ids = [row.id for row in places[len(places) - count :]]
        by_id = requests_by_ids(db, own, ids) if ids else {}
        return [by_id[id_] for id_ in ids], len(places) > count

    @reads
    def by_ids(self, db: Connection, ids: Collection[str]) -> dict[str, ListedRequest]:
        """Return the requests with these ids as lists show them, by id."""
        return listed_by_ids(db, self._own(), ids)

    @reads
    def pending_from(self, db: Connection, server_id: str) -> list[ListedRequest]:
        """Return the pending requests of a server, oldest first, as lists show them."""
        found = db.execute(_PENDING_FROM, self._own(of_server=server_id)).all()
        return [listed_of(row) for row in sorted(found, key=place_of)]

    @reads
    def of_call(self, db: Connection, call_id: str) -> list[ListedRequest]:
        """Return the requests of a call, oldest first, as lists show them."""
        found = db.execute(_OF_CALL, self._own(of_call=call_id)).all()
        return [listed_of(row) for row in sorted(found, key=place_of)]

    @reads
    def without_call(
        self, db: Connection, server_id: str, since: datetime, until: datetime, limit: int = 1000
    ) -> list[ListedRequest]:
        """Return the first requests of the server in that time without a known call."""
        wanted = self._own(of_server=server_id, since=since, until=until, most=limit)
        return [listed_of(row) for row in db.execute(_WITHOUT_CALL, wanted)]


def listed_by_ids(db: Connection, own: Json, ids: Collection[str]) -> dict[str, ListedRequest]:
    """Return these requests as lists show them, by id, within a unit of work; `own` names the user."""
    return {row.id: listed_of(row) for row in db.execute(_BY_IDS, {**own, "ids": list(ids)})}
