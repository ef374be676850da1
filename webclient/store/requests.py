"""The input requests of a user. Settling one is atomic here, so that exactly one answer wins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, cast, delete, func, insert, literal, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from webclient.errors import NotFoundError
from webclient.i18n import gettext as _
from webclient.model import Came, Delivery, InputRequest, Json, Reason, RequestState, Via, now
from webclient.store.drafts import Texts, forget_old_drafts, put_draft
from webclient.store.reasons import reason_columns
from webclient.store.request_columns import columns_of, may_be_of, request_of
from webclient.store.secrets import erase_answer_secrets, scrub, split_secrets
from webclient.store.tables import Moment, drafts, requests
from webclient.store.user_rows import UserRows

_PLACE = (requests.c.created_at, requests.c.position, requests.c.id)
"""The order of requests; no two have the same place."""


class UserRequests(UserRows):
    """The input requests of one user."""

    async def find(
        self,
        *,
        state: str | None = None,
        server_id: str | None = None,
        call_id: str | None = None,
        possible: bool = False,
        before: InputRequest | None = None,
        limit: int = 1000,
    ) -> list[InputRequest]:
        """Return the newest `limit` requests that match, oldest first.

        Only those `before` a request, if one is given. With `possible`, also those that may belong to the call.
        """
        fitting = select(requests).where(requests.c.user_id == self._user_id)
        for column, value in (("state", state), ("server_id", server_id)):
            if value is not None:
                fitting = fitting.where(requests.c[column] == value)
        if call_id is not None:
            fitting = fitting.where(may_be_of(call_id) if possible else requests.c.call_id == call_id)
        if before is not None:
            place = tuple_(literal(before.created_at, Moment), literal(before.position), literal(before.id))
            fitting = fitting.where(tuple_(*_PLACE) < place)
        newest = fitting.order_by(*(column.desc() for column in _PLACE)).limit(limit)
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(newest)][::-1]

    async def get(self, request_id: str) -> InputRequest:
        """Return one request; raises NotFoundError, also for a request of another user."""
        row = select(requests).where(requests.c.user_id == self._user_id, requests.c.id == request_id)
        async with self._engine.connect() as db:
            found = (await db.execute(row)).one_or_none()
        if found is None:
            raise NotFoundError(_("There is no request {id!r}.").format(id=request_id))
        return request_of(found)

    async def by_ids(self, ids: Collection[str]) -> dict[str, InputRequest]:
        """Return the requests with these ids, by id."""
        found = select(requests).where(requests.c.user_id == self._user_id, requests.c.id.in_(list(ids)))
        async with self._engine.connect() as db:
            return {row.id: request_of(row) for row in await db.execute(found)}

    async def oldest_open(self, limit: int) -> list[InputRequest]:
        """Return the oldest requests that are pending, or waiting to be finished elsewhere."""
        oldest = select(requests).where(*_open(self._user_id)).order_by(*_PLACE)
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(oldest.limit(limit))]

    async def open_ids(self) -> list[str]:
        """Return the ids of all requests that are pending or waiting, oldest first."""
        oldest = select(requests.c.id).where(*_open(self._user_id)).order_by(requests.c.created_at, requests.c.position)
        async with self._engine.connect() as db:
            return list((await db.execute(oldest)).scalars())

    async def count_open(self) -> int:
        """Return how many requests are pending or waiting."""
        async with self._engine.connect() as db:
            return (await db.execute(select(func.count()).where(*_open(self._user_id)))).scalar_one()

    async def without_call(
        self, server_id: str, since: datetime, until: datetime, limit: int = 1000
    ) -> list[InputRequest]:
        """Return the first requests of the server in that time without a known call."""
        found = (
            select(requests)
            .where(requests.c.user_id == self._user_id, requests.c.server_id == server_id, requests.c.call_id.is_(None))
            .where(requests.c.created_at >= since, requests.c.created_at <= until)
            .order_by(requests.c.created_at, requests.c.position)
            .limit(limit)
        )
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(found)]

    async def settled_since(self, moment: datetime, limit: int) -> list[InputRequest]:
        """Return the newest `limit` requests that were settled since `moment`, oldest first."""
        newest = (
            select(requests)
            .where(requests.c.user_id == self._user_id, requests.c.settled_at >= moment)
            .order_by(requests.c.settled_at.desc())
            .limit(limit)
        )
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(newest)][::-1]

    async def count_pending(self) -> dict[str, int]:
        """Return the number of pending requests by server id."""
        waiting = (
            select(requests.c.server_id, func.count())
            .where(requests.c.user_id == self._user_id, requests.c.state == RequestState.PENDING)
            .group_by(requests.c.server_id)
        )
        async with self._engine.connect() as db:
            return {row[0]: row[1] for row in await db.execute(waiting)}

    async def pending_of(self, server_id: str, *, but: Collection[str] = ()) -> tuple[int, int]:
        """Return number and characters of the server's pending requests, `but` these."""
        sizes = func.coalesce(func.sum(func.length(cast(requests.c.params, Text))), 0)
        waiting = select(func.count(), sizes).where(
            requests.c.user_id == self._user_id,
            requests.c.state == RequestState.PENDING,
            requests.c.server_id == server_id,
            requests.c.id.not_in(list(but)),
        )
        async with self._engine.connect() as db:
            count, size = (await db.execute(waiting)).one()
            return count, size

    async def declines(self, pending: Sequence[InputRequest]) -> dict[str, int]:
        """Return by id how often the same was declined before, if it was."""
        found = (
            select(requests.c.server_id, requests.c.digest, func.count())
            .where(requests.c.user_id == self._user_id, requests.c.state == RequestState.DECLINED)
            .where(requests.c.server_id.in_({each.server_id for each in pending}))
            .where(requests.c.digest.in_({each.digest for each in pending}))
            .group_by(requests.c.server_id, requests.c.digest)
        )
        async with self._engine.connect() as db:
            counts = {(row[0], row[1]): row[2] for row in await db.execute(found)} if pending else {}
        return {each.id: n for each in pending if (n := counts.get((each.server_id, each.digest)))}

    async def add(self, request: InputRequest, prefill: Texts | None = None) -> None:
        """Add a new request, with a draft if its form is `prefill`ed."""
        self._own(request.user_id)
        async with self._engine.begin() as db:
            await db.execute(insert(requests).values(columns_of(request) | self._node.columns))
            if prefill:
                await put_draft(db, request.user_id, request.id, prefill, prefilled=True)

    async def settle(
        self,
        request_id: str,
        *,
        to: RequestState,
        reason: Reason | None = None,
        content: Json | None = None,
        withheld: Collection[str] = (),
        secrets_for: str | None = None,
        opened_at: datetime | None = None,
        delivery: Delivery | None = None,
        via: Via | None = None,
        ended_via: Via | None = None,
        from_: Collection[RequestState] = (RequestState.PENDING,),
        keep_draft: bool = False,
    ) -> InputRequest | None:
        """Move a request out of one of the states `from_`; None if another was first.

        Its draft is deleted, or with `keep_draft` stays for a while. Values of `content` that are `withheld` are not
        stored, or only until the call `secrets_for` needs them no more.
        """
        public, secrets = split_secrets(content, withheld) if content is not None and withheld else (content, None)
        also: dict[str, Any] = {"content": public, "opened_at": opened_at, "delivery": delivery, "via": via}
        also |= {"withheld": list(withheld) or None, "secrets": secrets if secrets_for is not None else None}
        moved = (
            update(requests)
            .where(requests.c.user_id == self._user_id, requests.c.id == request_id, requests.c.state.in_(list(from_)))
            .values(state=to, ended_via=ended_via, settled_at=now(), **reason_columns(reason))
            .values({column: value for column, value in also.items() if value is not None})
            .returning(requests)
        )
        async with self._engine.begin() as db:
            row = (await db.execute(moved)).one_or_none()
            if row and keep_draft:
                await forget_old_drafts(db)
            elif row:
                draft = drafts.c.user_id == self._user_id, drafts.c.request_id == request_id
                await db.execute(delete(drafts).where(*draft))
        return request_of(row) if row else None

    async def extend(self, request_id: str, expires_at: datetime) -> InputRequest | None:
        """Set another deadline of a pending request that has one; None if it is settled."""
        extended = (
            update(requests)
            .where(*self._pending(request_id), requests.c.expires_at.is_not(None))
            .values(expires_at=expires_at)
            .returning(requests)
        )
        async with self._engine.begin() as db:
            row = (await db.execute(extended)).one_or_none()
        return request_of(row) if row else None

    async def remark(self, request_id: str, reason: Reason) -> bool:
        """Set the reason of a pending request, until it is settled; False if it is not pending."""
        remarked = update(requests).where(*self._pending(request_id)).values(**reason_columns(reason))
        async with self._engine.begin() as db:
            return (await db.execute(remarked)).rowcount == 1

    async def recount(self, request_id: str, count: int) -> None:
        """Set how many requests a settled one stands for."""
        here = requests.c.user_id == self._user_id, requests.c.id == request_id
        async with self._engine.begin() as db:
            await db.execute(update(requests).where(*here).values(count=count))

    async def end_all(self, ids: Collection[str], to: RequestState, reason: Reason) -> list[str]:
        """Settle all of these requests that are pending; return the ids of those."""
        pending = (requests.c.user_id == self._user_id, requests.c.state == RequestState.PENDING)
        ended = update(requests).where(*pending, requests.c.id.in_(list(ids))).returning(requests.c.id)
        async with self._engine.begin() as db:
            moved = list(
                (await db.execute(ended.values(state=to, settled_at=now(), **reason_columns(reason)))).scalars()
            )
            await forget_old_drafts(db)
        return moved

    async def deliver(self, ids: Collection[str], delivery: Delivery) -> list[str]:
        """Set the delivery of answers that are being sent; return their requests' ids."""
        async with self._engine.begin() as db:
            return await self._deliver(db, requests.c.id.in_(list(ids)), delivery)

    async def deliver_rounds(self, call_id: str, delivery: Delivery) -> list[str]:
        """Set the delivery of answers in a call's rounds that are being sent; return their requests' ids."""
        erased = False
        async with self._engine.begin() as db:
            of_rounds = and_(requests.c.call_id == call_id, requests.c.came == Came.ROUND)
            ids = await self._deliver(db, of_rounds, delivery)
            # Until the server took them, they may have to be sent again, by the next process if need be.
            if delivery is Delivery.DELIVERED:
                erased = await erase_answer_secrets(db, self._user_id, call_id)
        if erased:
            await scrub(self._engine)
        return ids

    async def _deliver(self, db: AsyncConnection, which: ColumnElement[bool], delivery: Delivery) -> list[str]:
        sending = requests.c.user_id == self._user_id, requests.c.delivery == Delivery.SENDING
        delivered = update(requests).where(*sending, which).values(delivery=delivery)
        return list((await db.execute(delivered.returning(requests.c.id))).scalars())

    def _pending(self, request_id: str) -> tuple[ColumnElement[bool], ...]:
        state = requests.c.state == RequestState.PENDING
        return requests.c.user_id == self._user_id, requests.c.id == request_id, state


def _open(user_id: str) -> tuple[ColumnElement[bool], ...]:
    return requests.c.user_id == user_id, requests.c.state.in_([RequestState.PENDING, RequestState.WAITING])
