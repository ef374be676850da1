"""The search for requests of a user: by state, server and call, the newest, in pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, Text, and_, bindparam, cast, or_, select, tuple_

from webclient.domain.model import InputRequest, Json, RequestState
from webclient.store.database.sizes import whole_size
from webclient.store.database.tables import Moment, requests
from webclient.store.database.user_rows import also_own

PLACE = (requests.c.created_at, requests.c.position, requests.c.id)
"""The order of requests; no two have the same place."""

_OWN = requests.c.user_id == bindparam("of_user")
_OF_CALL = requests.c.call_id == bindparam("of_call")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The conditions that requests must all meet; with `possible`, those that may belong to the call match as well."""

    state: str | None = None
    server_id: str | None = None
    call_id: str | None = None
    possible: bool = False
    before: InputRequest | None = None


def found_rows(db: Connection, own: Json, wanted: Wanted, limit: int, *, whole: bool) -> Sequence[Row[Any]]:
    """Return the newest `limit` rows that match, oldest first: `whole`, or places and sizes alone."""
    # Sorted after they are read: SQLite would rather walk through the history in the right order.
    is_few = wanted.call_id is not None or wanted.state in (RequestState.PENDING, RequestState.WAITING)
    newest = _newest(
        whole=whole,
        state=wanted.state is not None,
        server=wanted.server_id is not None,
        call=wanted.call_id is not None,
        possible=wanted.possible and wanted.call_id is not None,
        before=wanted.before is not None,
        is_few=is_few,
    )
    given: Json = {"of_state": wanted.state, "of_server": wanted.server_id, "of_call": wanted.call_id}
    given |= {"quoted_call": json.dumps(wanted.call_id), "most": limit}
    if before := wanted.before:
        given |= {"moment": before.created_at, "place": before.position, "before_id": before.id}
    rows = db.execute(newest, {**own, **given}).all()
    return sorted(rows, key=place_of)[-limit:] if is_few else rows[::-1]


def place_of(request: InputRequest | Row[Any]) -> tuple[datetime, int, str]:
    """Return the place of a request in the order of all."""
    return request.created_at, request.position, request.id


@cache
def _newest(
    *, whole: bool, state: bool, server: bool, call: bool, possible: bool, before: bool, is_few: bool
) -> Select[Any]:
    """Return the query for the newest requests that match what is given; in no order if they `is_few`."""
    found = (select(requests) if whole else select(*PLACE, whole_size)).where(also_own(requests) if call else _OWN)
    if state:
        found = found.where(requests.c.state == bindparam("of_state"))
    if server:
        found = found.where(requests.c.server_id == bindparam("of_server"))
    if possible:
        # As text, because the databases have no common way to look into a list in JSON.
        among = cast(requests.c.possible_calls, Text).contains(bindparam("quoted_call"))
        found = found.where(or_(_OF_CALL, and_(_OWN, requests.c.possible_calls.is_not(None), among)))
    elif call:
        found = found.where(_OF_CALL)
    if before:
        place = tuple_(bindparam("moment", type_=Moment), bindparam("place"), bindparam("before_id"))
        found = found.where(tuple_(*PLACE) < place)
    if is_few:
        return found
    return found.order_by(*(column.desc() for column in PLACE)).limit(bindparam("most"))
