"""What people typed and have not sent: one draft for each user and request.

It is deleted when the person answers. When a request ends without an answer, its draft stays for a day.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, delete, exists, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from webclient.model import WITHOUT_ANSWER, RequestState, now
from webclient.store.tables import drafts, requests
from webclient.store.user_rows import UserRows

Texts = Mapping[str, Sequence[str]]

LIFETIME_AFTER_END = timedelta(days=1)
"""How long a draft stays after its request has ended without an answer."""

GRACE = timedelta(minutes=1)
"""How long after such an end a page may still save a draft, which may have been on its way."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The texts of a form by control; `prefilled` from an earlier answer to the same question, and not typed here."""

    texts: Texts
    prefilled: bool = False


class UserDrafts(UserRows):
    """The drafts of one user."""

    async def find(self, request_ids: Collection[str]) -> dict[str, Draft]:
        """Return the user's drafts for these requests, by request."""
        if not request_ids:
            return {}
        rows = select(drafts.c.request_id, drafts.c.texts, drafts.c.prefilled).where(
            drafts.c.user_id == self._user_id, drafts.c.request_id.in_(request_ids)
        )
        async with self._engine.connect() as db:
            return {row.request_id: Draft(row.texts, row.prefilled) for row in await db.execute(rows)}

    async def unsent(self, limit: int) -> list[str]:
        """Return the ids of requests that ended unanswered and still have a draft, newest first."""
        unsent = and_(_ended_unanswered(), requests.c.settled_at >= now() - LIFETIME_AFTER_END)
        ids = (
            select(requests.c.id)
            .join(drafts, and_(drafts.c.request_id == requests.c.id, drafts.c.user_id == requests.c.user_id))
            .where(requests.c.user_id == self._user_id, unsent)
            .order_by(requests.c.settled_at.desc())
        )
        async with self._engine.connect() as db:
            return list((await db.execute(ids.limit(limit))).scalars())

    async def save(self, request_id: str, texts: Texts) -> bool:
        """Replace the draft with `texts`, which may be empty; False if the request has ended too long ago."""
        # This changes nothing, but locks the row until the end of the transaction: a settlement comes before, and then
        # the row does not match, or after, and then deletes the draft.
        locked = (
            update(requests)
            .where(requests.c.user_id == self._user_id, requests.c.id == request_id, _takes_drafts())
            .values(reason=requests.c.reason)
        )
        earlier = delete(drafts).where(drafts.c.user_id == self._user_id, drafts.c.request_id == request_id)
        async with self._engine.begin() as db:
            if (await db.execute(locked)).rowcount == 0:
                return False
            await db.execute(earlier)
            if texts:
                await put_draft(db, self._user_id, request_id, texts, prefilled=False)
        return True


async def put_draft(db: AsyncConnection, user_id: str, request_id: str, texts: Texts, *, prefilled: bool) -> None:
    """Add a draft where none is, within a transaction."""
    row = {"user_id": user_id, "request_id": request_id, "texts": texts, "prefilled": prefilled, "updated_at": now()}
    await db.execute(insert(drafts).values(row))


async def forget_old_drafts(db: AsyncConnection) -> None:
    """Delete drafts that are too old, within a transaction."""
    in_use = requests.c.state == RequestState.PENDING, requests.c.settled_at >= now() - LIFETIME_AFTER_END
    wanted = exists().where(requests.c.id == drafts.c.request_id, or_(*in_use))
    await db.execute(delete(drafts).where(~wanted))


def _takes_drafts() -> ColumnElement[bool]:
    just_ended = and_(_ended_unanswered(), requests.c.settled_at >= now() - GRACE)
    return or_(requests.c.state == RequestState.PENDING, just_ended)


def _ended_unanswered() -> ColumnElement[bool]:
    # As `InputRequest.ended_unanswered`.
    with_its_call = and_(requests.c.state == RequestState.CANCELLED, requests.c.via.is_(None))
    return or_(requests.c.state.in_(WITHOUT_ANSWER), with_its_call)
