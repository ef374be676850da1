"""Earlier requests of the same servers and programs, as far as the cards of pending ones mention them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select

from webclient.domain.model import InputRequest, Json, Requester, RequestState
from webclient.store.database.tables import is_agreed, requests
from webclient.store.requests.request_columns import requester_of

_OWN = requests.c.user_id == bindparam("of_user")

_DECLINES = (
    select(requests.c.server_id, requests.c.digest, func.count())
    .where(_OWN, requests.c.state == RequestState.DECLINED)
    .where(requests.c.server_id.in_(bindparam("servers", expanding=True)))
    .where(requests.c.digest.in_(bindparam("digests", expanding=True)))
    .group_by(requests.c.server_id, requests.c.digest)
)
_LAST_AGREED = (
    select(requests.c.asked_by)
    .where(_OWN, requests.c.server_id == bindparam("of_server"), is_agreed)
    .order_by(requests.c.created_at.desc())
    .limit(1)
)


def declines_of(db: Connection, own: Json, pending: Sequence[InputRequest]) -> dict[str, int]:
    """Return by id how often the same was declined, within a unit of work; `own` names the user."""
    same = {"servers": {each.server_id for each in pending}, "digests": {each.digest for each in pending}}
    found = db.execute(_DECLINES, {**own, **{name: list(values) for name, values in same.items()}})
    counts = {(row[0], row[1]): row[2] for row in found}
    return {each.id: n for each in pending if (n := counts.get((each.server_id, each.digest)))}


def known_requesters(db: Connection, own: Json, pending: Sequence[InputRequest]) -> dict[str, Requester]:
    """Return the requester of the last request accepted on a page, by server id.

    Servers without such a request are missing. Within a unit of work; `own` names the user.
    """
    found: dict[str, Requester] = {}
    for server_id in {each.server_id for each in pending}:
        written = db.execute(_LAST_AGREED, {**own, "of_server": server_id}).scalar_one_or_none()
        if written is not None:
            found[server_id] = requester_of(written)
    return found
