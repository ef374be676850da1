"""Drafts, which people typed and have not sent: one for each user and request.

It is deleted when the person sends an answer. When a request ends in another way, its draft stays for a day.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, and_, bindparam, delete, exists, insert, or_, select, update

from webclient.domain.model import UNSENT, Json, RequestState, now
from webclient.store.database.database import reads, writes
from webclient.store.database.tables import drafts, requests
from webclient.store.database.user_rows import UserRows

Texts = Mapping[str, Sequence[str]]

LIFETIME_AFTER_END = timedelta(days=1)
"""How long a draft stays after its request has ended unsent."""

GRACE = timedelta(minutes=1)
"""How long after such an end a page may still save a draft, which may have been on its way."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The texts of a form by control; `prefilled` from an earlier answer to the same question, and not typed here."""

    texts: Texts
    prefilled: bool = False


_IN_TIME = requests.c.settled_at >= bindparam("since")
_ENDED_UNSENT = requests.c.state.in_(UNSENT)
_OWN = drafts.c.user_id == bindparam("of_user")
_OF_REQUEST = drafts.c.request_id == bindparam("of_request")

_FIND = select(drafts.c.request_id, drafts.c.texts, drafts.c.prefilled).where(
    _OWN, drafts.c.request_id.in_(bindparam("ids", expanding=True))
)
_UNSENT = (
    select(requests.c.id)
    .join(drafts, and_(drafts.c.request_id == requests.c.id, drafts.c.user_id == requests.c.user_id))
    .where(requests.c.user_id == bindparam("of_user"), _ENDED_UNSENT, _IN_TIME)
    # Text from an earlier answer was sent before, and was not typed here.
    .where(drafts.c.prefilled.is_(False))
    .order_by(requests.c.settled_at.desc())
    .limit(bindparam("most"))
)
# This changes nothing, but locks the row until the end of the transaction: a settlement comes before, and then the row
# does not match, or after, and then deletes the draft.
_LOCK = (
    update(requests)
    .where(requests.c.user_id == bindparam("of_user"), requests.c.id == bindparam("of_request"))
    .where(or_(requests.c.state == RequestState.PENDING, and_(_ENDED_UNSENT, _IN_TIME)))
    .values(count=requests.c.count)
)
_ADD = insert(drafts)
_REMOVE = delete(drafts).where(_OWN, _OF_REQUEST)
_PURGE = delete(drafts).where(
    ~exists().where(requests.c.id == drafts.c.request_id, or_(requests.c.state == RequestState.PENDING, _IN_TIME))
)


class UserDrafts(UserRows):
    """The drafts of one user."""

    async def find(self, request_ids: Collection[str]) -> dict[str, Draft]:
        """Return the user's drafts for these requests, by request."""
        return await self._find(list(request_ids)) if request_ids else {}

    @reads
    def _find(self, db: Connection, ids: list[str]) -> dict[str, Draft]:
        return drafts_by_request(db, self._own(), ids)

    @reads
    def unsent(self, db: Connection, limit: int) -> list[str]:
        """Return the ids of requests that ended unsent and still have a draft, newest first."""
        return list(db.execute(_UNSENT, self._own(since=now() - LIFETIME_AFTER_END, most=limit)).scalars())

    @writes
    def save(self, db: Connection, request_id: str, texts: Texts) -> bool:
        """Replace the draft with `texts`, which may be empty; False if the request has ended too long ago."""
        if db.execute(_LOCK, self._own(of_request=request_id, since=now() - GRACE)).rowcount == 0:
            return False
        remove_draft(db, self._user_id, request_id)
        if texts:
            put_draft(db, self._user_id, request_id, texts, prefilled=False)
        return True


def drafts_by_request(db: Connection, own: Json, ids: Collection[str]) -> dict[str, Draft]:
    """Return the drafts for these requests, within a unit of work; `own` names the user."""
    return {row.request_id: Draft(row.texts, row.prefilled) for row in db.execute(_FIND, {**own, "ids": list(ids)})}


def put_draft(db: Connection, user_id: str, request_id: str, texts: Texts, *, prefilled: bool) -> None:
    """Add a draft where none is, within a unit of work."""
    row = {"user_id": user_id, "request_id": request_id, "texts": texts, "prefilled": prefilled, "updated_at": now()}
    db.execute(_ADD, row)


def remove_draft(db: Connection, user_id: str, request_id: str) -> None:
    """Remove the draft for a request, within a unit of work."""
    db.execute(_REMOVE, {"of_user": user_id, "of_request": request_id})


def end_draft(db: Connection, user_id: str, request_id: str, ended: RequestState) -> None:
    """End the draft for a request that has ended, within a unit of work; what was not sent stays for a while."""
    if ended in UNSENT:
        purge_drafts(db)
    else:
        remove_draft(db, user_id, request_id)


def purge_drafts(db: Connection) -> None:
    """Purge drafts that are too old, within a unit of work."""
    db.execute(_PURGE, {"since": now() - LIFETIME_AFTER_END})
