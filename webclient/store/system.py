"""The few queries and changes that cross users: what an earlier process left, deadlines, and erasing what is old.

Nothing here is for a page or the API: they act for one user, through `Store.of`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, case, func, literal, select, union, update

from webclient.domain.model import (
    Call,
    Delivery,
    InputRequest,
    ListedRequest,
    Origin,
    Reason,
    RequestState,
    asker_id_of,
    now,
)
from webclient.store.calls.calls import OPEN, call_of
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node import Node
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.program_tables import program_tokens
from webclient.store.database.sealing import Sealer
from webclient.store.database.tables import calls, is_sending, pending_sign_ins, requests
from webclient.store.database.user_tables import users
from webclient.store.leftovers import end_leftovers, leave_over, resumable, take_over
from webclient.store.open_counts import OpenCounts, open_counts
from webclient.store.purge import erase_values, purge_entries
from webclient.store.requests.answer_webhooks import SystemAnswerWebhooks
from webclient.store.requests.request_columns import LISTED, listed_of, request_of
from webclient.store.requests.samplings import left_generating, of_user
from webclient.store.servers.grants import SystemGrants
from webclient.store.servers.sign_in_rows import purge_sign_ins
from webclient.store.servers.sign_ins import SystemSignIns
from webclient.store.users.notices import SystemNotices

_HAS_DEADLINE = and_(requests.c.state == RequestState.PENDING, requests.c.expires_at.is_not(None))


_LATE = select(*LISTED).where(_HAS_DEADLINE, requests.c.expires_at <= bindparam("at"))
_NEAR = select(requests.c.user_id, requests.c.id, requests.c.expires_at).where(
    _HAS_DEADLINE, requests.c.expires_at > bindparam("at"), requests.c.expires_at <= bindparam("until")
)
_DECIDED = select(requests).where(requests.c.state == RequestState.PENDING, requests.c.decided.is_not(None))
_PURGE_TASKS = (
    update(requests)
    .where(requests.c.hosted_task_id.is_not(None), requests.c.state != RequestState.PENDING)
    .where(requests.c.expires_at < bindparam("before"))
    .values(
        hosted_task_id=None,
        secrets=None,
        delivery=case((is_sending, literal(Delivery.FAILED.value)), else_=requests.c.delivery),
    )
)
_OF_ASKER = and_(requests.c.origin == Origin.PROGRAM, requests.c.server_id == bindparam("of_asker"))
_BY_ASKER = select(requests).where(requests.c.id == bindparam("with_id"), _OF_ASKER)
_PENDING_OF = select(*LISTED).where(requests.c.state == RequestState.PENDING, _OF_ASKER)
_OF_REVOKED = select(*LISTED).where(
    requests.c.state == RequestState.PENDING,
    requests.c.origin == Origin.PROGRAM,
    requests.c.server_id.in_(
        select(literal(asker_id_of("")).concat(program_tokens.c.id)).where(program_tokens.c.revoked_at.is_not(None))
    ),
)
_BUSY = union(
    select(calls.c.user_id).where(calls.c.state.in_(OPEN)),
    select(requests.c.user_id).where(requests.c.state == RequestState.PENDING),
    select(pending_sign_ins.c.user_id).where(pending_sign_ins.c.expires_at > bindparam("at")),
)
_AWAITED = select(users.c.id).where(users.c.signed_in_at.is_(None))
_NEXT = select(func.min(requests.c.expires_at)).where(_HAS_DEADLINE, requests.c.expires_at > bindparam("until"))


@dataclass(frozen=True, slots=True)
class DueRequests:
    """The pending requests that are `late`, those whose deadline is `near`, and the `next` deadline after those."""

    late: Sequence[ListedRequest]
    near: Sequence[tuple[str, str, datetime]]
    """User, id and deadline of each."""
    next: datetime | None


class SystemStore(UsesDatabase):
    """Acts on the rows of all users."""

    def __init__(self, database: Database, node: Node, sealer: Sealer) -> None:
        super().__init__(database)
        self._node = node
        self.sign_ins = SystemSignIns(database, sealer)
        self.grants = SystemGrants(database, sealer)
        self.notices = SystemNotices(database, node)
        self.answer_webhooks = SystemAnswerWebhooks(database, node, sealer)

    @reads
    def resumable_calls(self, db: Connection, user_id: str | None = None) -> list[Call]:
        """Return open calls of an earlier run, or a user's, that have a checkpoint."""
        return [call_of(row) for row in db.execute(resumable(self._node, user_id))]

    @reads
    def busy_users(self, db: Connection) -> frozenset[str]:
        """Return the ids of users with open calls, pending requests or wanted sign-ins.

        Users who have never been here are left out.
        """
        busy = frozenset(db.execute(_BUSY, {"at": now()}).scalars())
        return busy - frozenset(db.execute(_AWAITED).scalars())

    @writes
    def end_leftovers(
        self, db: Connection, reason: Reason, *, resumed: Collection[str], user_id: str | None = None
    ) -> None:
        """End what an earlier run of this node, or a user's earlier node, left open.

        The `resumed` calls and their requests belong to this run from now on. Answers that were on their way count as
        failed, and secrets that only the ended calls needed are erased. Rows of other nodes stay as they are.
        """
        if user_id is not None:
            self._node.fence(db, user_id)
        take_over(db, self._node, resumed, user_id)
        end_leftovers(db, self._node, reason, user_id)
        scrub_after(db)

    @writes
    def leave_over(self, db: Connection, user_id: str) -> None:
        """Leave what a user has open to the node where they live next."""
        # Safe without the fence, where the user lives elsewhere now: only rows of this run change.
        leave_over(db, self._node, user_id)

    @reads
    def due(self, db: Connection, at: datetime, until: datetime) -> DueRequests:
        """Return this run's pending requests that are late at a moment, or expire until another."""
        ours = self._node.owns(requests)
        late = [listed_of(row) for row in db.execute(_LATE.where(ours), {"at": at})]
        near = [(row[0], row[1], row[2]) for row in db.execute(_NEAR.where(ours), {"at": at, "until": until})]
        return DueRequests(late, near, db.execute(_NEXT.where(ours), {"until": until}).scalar_one())

    @reads
    def counts(self, db: Connection) -> OpenCounts:
        """Return how much is open, of all users together."""
        return open_counts(db)

    @reads
    def decided(self, db: Connection, user_id: str | None = None) -> list[InputRequest]:
        """Return this run's pending requests, or a user's, that are decided but not sent."""
        wanted = _DECIDED.where(self._node.owns(requests))
        return [request_of(row) for row in db.execute(of_user(wanted, user_id))]

    @reads
    def asked_by(self, db: Connection, asker_id: str, request_id: str) -> InputRequest | None:
        """Return a question of a program to any user, or None."""
        row = db.execute(_BY_ASKER, {"of_asker": asker_id, "with_id": request_id}).one_or_none()
        return request_of(row) if row else None

    @reads
    def pending_of(self, db: Connection, asker_id: str) -> list[ListedRequest]:
        """Return the pending questions of a program to all users."""
        return [listed_of(row) for row in db.execute(_PENDING_OF, {"of_asker": asker_id})]

    @reads
    def requests_of_revoked(self, db: Connection) -> list[ListedRequest]:
        """Return this run's pending questions of programs whose token was revoked."""
        return [listed_of(row) for row in db.execute(_OF_REVOKED.where(self._node.owns(requests)))]

    @reads
    def generating(self, db: Connection, user_id: str | None = None) -> list[InputRequest]:
        """Return this run's pending requests, or a user's, for which a model worked before."""
        return left_generating(db, self._node, user_id)

    @writes
    def purge_hosted_tasks(self, db: Connection, before: datetime) -> int:
        """End tasks that we host, and whose time to answer ended `before` then; return how many.

        An answer that its server has not fetched by then was not delivered.
        """
        return db.execute(_PURGE_TASKS, {"before": before}).rowcount

    @writes
    def erase_values(self, db: Connection, before: datetime) -> int:
        """Erase the values, not the names, of some entries that ended `before` then; return how many."""
        return erase_values(db, before)

    @writes
    def purge_entries(self, db: Connection, before: datetime) -> int:
        """Purge some entries that ended `before` then; return how many."""
        return purge_entries(db, before)

    @writes
    def purge_sign_ins(self, db: Connection) -> int:
        """Purge sign-ins that are over, and rows of servers that are gone; return how many."""
        return purge_sign_ins(db)

    @writes
    def scrub(self, db: Connection) -> None:
        """Take erased values out of the database's log as well."""
        scrub_after(db)
