"""The webhooks that tell programs how their questions ended. Addresses and secrets are sealed.

The unit of work that settles a request also sets its webhook to be sent, so a restart neither forgets nor adds one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, exists, func, insert, select, update

from webclient.domain.model import AnswerWebhook, Delivery, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node import Node
from webclient.store.database.program_tables import answer_webhooks as table
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import SealedUserRows, also_own
from webclient.store.requests.hosted_tasks import mark_fetched

_THIS = and_(table.c.request_id == bindparam("of_request"), also_own(table))
_UNFINISHED = table.c.ended_at.is_(None)
_WITHOUT_REQUEST = ~exists().where(requests.c.id == table.c.request_id)

_GET = select(table).where(_THIS)
_COUNT = select(func.count()).where(table.c.user_id == bindparam("of_user"), _UNFINISHED)
_CHANGE = update(table).where(_THIS, _UNFINISHED)
_ARM = update(table).where(
    table.c.request_id.in_(bindparam("of_requests", expanding=True)),
    also_own(table),
    table.c.next_at.is_(None),
    _UNFINISHED,
)
_REMOVE = delete(table).where(table.c.request_id.in_(bindparam("of_requests", expanding=True)))
_IDS = select(table.c.request_id).where(_UNFINISHED)
_NEXT = select(func.min(table.c.next_at)).where(table.c.next_at > bindparam("at"))

_PLACE = func.row_number().over(partition_by=table.c.user_id, order_by=(table.c.failures, table.c.next_at))
_IS_DUE = and_(
    table.c.next_at <= bindparam("at"),
    table.c.request_id.not_in(bindparam("but", expanding=True)),
    table.c.user_id.not_in(bindparam("but_of", expanding=True)),
)
_RANKED = select(table, _PLACE.label("place")).where(_IS_DUE).subquery()
# What failed before comes last, and no user's share keeps those of others waiting.
_DUE = (
    select(*(_RANKED.c[column.name] for column in table.columns))
    .where(_RANKED.c.place <= bindparam("share"))
    .order_by(_RANKED.c.place, _RANKED.c.next_at)
    .limit(bindparam("most"))
)


class UserAnswerWebhooks(SealedUserRows):
    """The webhooks for answers of one user."""

    @reads
    def get(self, db: Connection, request_id: str) -> AnswerWebhook | None:
        """Return the webhook of a request, or None."""
        row = db.execute(_GET, self._own(of_request=request_id)).one_or_none()
        return webhook_of(row, self._sealer) if row else None

    @writes
    def begin(self, db: Connection, webhook: AnswerWebhook, most: int) -> bool:
        """Add the webhook of a request that is stored next; False if as many as `most` are not finished."""
        self._check_owner(webhook.user_id)
        # Left by a process that ended before it stored the request.
        db.execute(delete(table).where(_THIS, _WITHOUT_REQUEST), self._own(of_request=webhook.request_id))
        if db.execute(_COUNT, self._own()).scalar_one() >= most:
            return False
        # Another process may be storing the same request, with the same webhook.
        if db.execute(_GET, self._own(of_request=webhook.request_id)).one_or_none() is None:
            sealed = self._sealer.seal(webhook.secrets, *_row_name(webhook))
            db.execute(insert(table), asdict(webhook) | {"secrets": sealed})
        return True

    @writes
    def delivered(self, db: Connection, request_id: str, *, whole: bool) -> None:
        """Note that a webhook has arrived; if it had the `whole` answer, the program has that."""
        ended = {"next_at": None, "ended_at": now(), "failure": "", "secrets": None}
        db.execute(_CHANGE.values(ended), self._own(of_request=request_id))
        if whole:
            mark_fetched(db, self._own(), request_id, Delivery.DELIVERED)

    @writes
    def failed(self, db: Connection, request_id: str, failure: str, next_at: datetime | None) -> None:
        """Note that a webhook failed; it is sent again at `next_at`, or never."""
        over = {"ended_at": now(), "secrets": None} if next_at is None else {}
        failed = {"failures": table.c.failures + 1, "failure": failure, "next_at": next_at, **over}
        db.execute(_CHANGE.values(failed), self._own(of_request=request_id))


class SystemAnswerWebhooks(UsesDatabase):
    """The webhooks for answers of all users."""

    def __init__(self, database: Database, node: Node, sealer: Sealer) -> None:
        super().__init__(database)
        self._node = node
        self._sealer = sealer

    @writes
    def unfinished(self, db: Connection) -> list[str]:
        """Remove webhooks without a request; return the ids of the other unfinished ones."""
        db.execute(delete(table).where(_WITHOUT_REQUEST))
        return list(db.execute(_IDS).scalars())

    @reads
    def due(
        self,
        db: Connection,
        at: datetime,
        most: int,
        *,
        share: int,
        but: Collection[str] = (),
        but_of: Collection[str] = (),
    ) -> list[AnswerWebhook]:
        """Return the webhooks to be sent at a moment: at most so many, and a `share` of them for each user.

        Those of the requests `but`, and of the users `but_of`, are left out.
        """
        wanted = {"at": at, "most": most, "share": share, "but": list(but), "but_of": list(but_of)}
        return [
            webhook_of(row, self._sealer) for row in db.execute(self._node.housing(_DUE, _RANKED.c.user_id), wanted)
        ]

    @reads
    def next(self, db: Connection, at: datetime) -> datetime | None:
        """Return when the next webhook after a moment is to be sent."""
        found: datetime | None = db.execute(self._node.housing(_NEXT, table.c.user_id), {"at": at}).scalar_one()
        return found


def arm_webhooks(db: Connection, user_id: str, request_ids: Collection[str]) -> None:
    """Set the webhooks of settled requests to be sent, within a unit of work."""
    db.execute(_ARM.values(next_at=now()), {"of_user": user_id, "of_requests": list(request_ids)})


def remove_webhooks(db: Connection, request_ids: Collection[str]) -> None:
    """Remove the webhooks of requests that are deleted, within a unit of work."""
    db.execute(_REMOVE, {"of_requests": list(request_ids)})


def webhook_of(row: Row[Any], sealer: Sealer) -> AnswerWebhook:
    """Return the webhook of a row; without secrets if it has ended, or if their key is lost."""
    try:
        secrets = sealer.open(row.secrets, *_row_name(row)) if row.secrets else {}
    except LostKeyError:
        secrets = {}
    return AnswerWebhook(**{**row._mapping, "secrets": secrets})


def _row_name(row: Any) -> tuple[str, ...]:
    return table.name, row.user_id, row.request_id
