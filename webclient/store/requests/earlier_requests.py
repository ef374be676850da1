"""Earlier requests of the same servers and programs, as far as the cards of pending ones mention them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from webclient.domain.model import EXCERPT, InputRequest, Json, Requester, RequestState
from webclient.store.database.database import reads
from webclient.store.database.search import storable
from webclient.store.database.tables import is_agreed, requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_columns import request_of, requester_of

MOST_COUNTED = 1_000
"""The most questions of the same words that are counted."""

LOOKED_AT = 50
"""How many of the newest questions of a server are searched for others of the same tool."""

MOST_ALIKE = 20
"""The most questions that such a search returns."""

LONGEST_ALIKE = 20_000
"""The most bytes that the parameters of such a question may have; a longer one is left out."""

_OWN = requests.c.user_id == bindparam("of_user")
_AGREED = (_OWN, requests.c.server_id == bindparam("of_server"), is_agreed)

_DECLINES = (
    select(requests.c.server_id, requests.c.digest, func.count())
    .where(_OWN, requests.c.state == RequestState.DECLINED)
    .where(requests.c.server_id.in_(bindparam("servers", expanding=True)))
    .where(requests.c.digest.in_(bindparam("digests", expanding=True)))
    .group_by(requests.c.server_id, requests.c.digest)
)
_LAST_AGREED = select(requests.c.asked_by).where(*_AGREED).order_by(requests.c.created_at.desc()).limit(1)
_OF_CALL = requests.c.call_name.is_not_distinct_from(bindparam("of_call"))
_SAME = (
    select(requests.c.id)
    .where(*_AGREED, requests.c.digest == bindparam("of_digest"), _OF_CALL)
    .order_by(requests.c.created_at.desc())
    .limit(MOST_COUNTED)
)
_RECENT = select(requests.c.id).where(*_AGREED).order_by(requests.c.created_at.desc()).limit(LOOKED_AT)
_ALIKE = (
    select(requests)
    .where(also_own(requests), requests.c.id.in_(_RECENT), requests.c.digest != bindparam("of_digest"))
    .where(requests.c.kind == bindparam("of_kind"), _OF_CALL, requests.c.size <= LONGEST_ALIKE)
    .limit(MOST_ALIKE)
)
_GET = select(requests).where(also_own(requests), requests.c.id == bindparam("with_id"))


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """Earlier requests of the same server or program that a user accepted on pages.

    `count` is how often to the same question of a call of the same name, up to `MOST_COUNTED`, and `last` the newest
    of these. `alike` are other questions of such calls, newest first.
    """

    count: int = 0
    last: InputRequest | None = None
    alike: Sequence[InputRequest] = ()


class UserEarlierRequests(UserRows):
    """The earlier requests of one user."""

    @reads
    def answers(self, db: Connection, request: InputRequest) -> EarlierAnswers:
        """Return what the user answered before that resembles this request."""
        call_name = storable(request.during.name[:EXCERPT]) if request.during else None
        own = self._own(of_server=request.server_id, of_digest=request.digest, of_call=call_name)
        same = list(db.execute(_SAME, own).scalars())
        last = db.execute(_GET, self._own(with_id=same[0])).one() if same else None
        alike = map(request_of, db.execute(_ALIKE, {**own, "of_kind": request.kind}))
        newest_first = tuple(sorted(alike, key=lambda each: (each.created_at, each.id), reverse=True))
        return EarlierAnswers(len(same), request_of(last) if last else None, newest_first)


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
