"""The tasks as which servers want their questions answered: the rows of those input requests, found by their tasks."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, or_, select, tuple_, update

from webclient.domain.model import Delivery, InputRequest, Json, RequestState
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.tables import Moment, is_sending, requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_columns import request_of

_IS_HOSTED = requests.c.hosted_task_id.is_not(None)
_PLACE = (requests.c.created_at, requests.c.id)
_OF_SERVER = requests.c.server_id == bindparam("of_server")
_WITH_TASK = requests.c.hosted_task_id == bindparam("with_task")

_GET = select(requests).where(_IS_HOSTED, _WITH_TASK, also_own(requests))
_PAGE = (
    select(requests)
    .where(_IS_HOSTED, requests.c.user_id == bindparam("of_user"), _OF_SERVER)
    .where(tuple_(*_PLACE) > tuple_(bindparam("moment", type_=Moment), bindparam("after_id")))
    .order_by(*_PLACE)
    .limit(bindparam("most"))
)
_WAITS = (
    select(requests.c.id)
    .where(_IS_HOSTED, requests.c.user_id == bindparam("of_user"), _OF_SERVER)
    .where(or_(requests.c.state == RequestState.PENDING, is_sending))
    .limit(1)
)
_FETCHED = (
    update(requests)
    .where(also_own(requests), requests.c.id == bindparam("with_id"), is_sending)
    .returning(requests.c.id)
)


class UserHostedTasks(UserRows):
    """The input requests of one user that servers want as tasks."""

    @reads
    def get(self, db: Connection, task_id: str) -> InputRequest | None:
        """Return the request of a task; None if there is none."""
        row = db.execute(_GET, self._own(with_task=task_id)).one_or_none()
        return request_of(row) if row else None

    @reads
    def page(self, db: Connection, server_id: str, after: tuple[datetime, str], limit: int) -> list[InputRequest]:
        """Return the server's first `limit` requests after a moment and id, oldest first."""
        moment, after_id = after
        here = self._own(of_server=server_id, moment=moment, after_id=after_id, most=limit)
        return [request_of(row) for row in db.execute(_PAGE, here)]

    @reads
    def any_of(self, db: Connection, server_id: str) -> bool:
        """Return whether the server still comes back for an answer."""
        return db.execute(_WAITS, self._own(of_server=server_id)).first() is not None

    @writes
    def fetched(self, db: Connection, request_id: str, delivery: Delivery) -> bool:
        """Set the delivery of an answer that waits for its server, and erase its secrets; False if it does not wait."""
        return mark_fetched(db, self._own(), request_id, delivery)


def mark_fetched(db: Connection, own: Json, request_id: str, delivery: Delivery) -> bool:
    """Set the delivery of an answer, as `fetched` does, within a unit of work; `own` names the user."""
    fetched = {**own, "with_id": request_id, "delivery": delivery, "secrets": None}
    row = db.execute(_FETCHED, fetched).one_or_none()
    if row is not None:
        scrub_after(db)
    return row is not None
