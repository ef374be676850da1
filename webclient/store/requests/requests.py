"""The input requests of a user. Settling one is atomic here, so that exactly one answer wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, func, insert, or_, select, update

from webclient.domain.approvals import APPROVAL
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    Action,
    AuditAction,
    Delivery,
    InputRequest,
    Json,
    ListedRequest,
    Origin,
    Reason,
    RequestState,
    Via,
    now,
)
from webclient.store.calls.calls import CallChange, write_changes
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.reasons import reason_columns
from webclient.store.database.search import values_text_of
from webclient.store.database.secrets import erase_answer_secrets, erase_secrets, split_secrets
from webclient.store.database.sizes import about_size
from webclient.store.database.tables import is_sending, requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.answer_webhooks import arm_webhooks
from webclient.store.requests.drafts import Texts, end_draft, purge_drafts, put_draft
from webclient.store.requests.request_columns import LISTED, columns_of, listed_of, request_of
from webclient.store.requests.request_search import PLACE, Wanted, found_rows, place_of
from webclient.store.users.audit import record

# Statements are built once, because building one takes longer than running it. The keys of an UPDATE that are columns
# are set; so parameters of conditions have other names than columns.
_OWN = requests.c.user_id == bindparam("of_user")
_OF_OWN = also_own(requests)
_WITH_ID = requests.c.id == bindparam("with_id")
_AMONG_IDS = requests.c.id.in_(bindparam("ids", expanding=True))
_OF_SERVER = requests.c.server_id == bindparam("of_server")
_OF_CALL = requests.c.call_id == bindparam("of_call")
_PENDING = requests.c.state == RequestState.PENDING
_OPEN = requests.c.state.in_([RequestState.PENDING, RequestState.WAITING])
_SIZE = func.coalesce(func.sum(requests.c.size), 0)

_ALL = select(requests).where(_OWN)
_GET = _ALL.where(_WITH_ID)
_BY_IDS = select(requests).where(_OF_OWN, _AMONG_IDS)
# Sorted after they are read: SQLite would rather walk through the history in the right order.
_OPEN_PLACES = select(*PLACE).where(_OWN, _OPEN)
_COUNT_OPEN = select(func.count()).where(_OWN, _OPEN)
# What the person has decided needs nothing more of them, although it can be undone.
_UNDECIDED = requests.c.decided.is_(None)
_COUNT_PENDING = (
    select(requests.c.server_id, func.count()).where(_OWN, _PENDING, _UNDECIDED).group_by(requests.c.server_id)
)
_PENDING_OF = select(func.count(), _SIZE).where(
    _OWN, _PENDING, _OF_SERVER, requests.c.id.not_in(bindparam("but", expanding=True))
)
_PENDING_OF_ALL = select(func.count(), _SIZE).where(
    _OWN, _PENDING, requests.c.id.not_in(bindparam("but", expanding=True))
)

_ADD = insert(requests)
_OF_USER = update(requests).where(_OF_OWN)
_SETTLE = (
    _OF_USER.where(_WITH_ID, requests.c.state.in_(bindparam("from_states", expanding=True)))
    .values(other_size=requests.c.other_size + bindparam("grown"))
    .returning(requests)
)
# Undoing a decision and sending it exclude each other: whichever is written first.
_SETTLE_DECIDED = _SETTLE.where(requests.c.undo_until == bindparam("decided_until"))
_DECLINE = _OF_USER.where(_AMONG_IDS, _PENDING).returning(requests)
_FIND_BY_MESSAGE = _OF_USER.where(_WITH_ID).values(other_size=requests.c.other_size + bindparam("grown"))
_DECIDE = _OF_USER.where(_AMONG_IDS, _PENDING).returning(*LISTED)
_APPROVED = select(*LISTED).where(_OWN, _PENDING, requests.c.decided == Action.ACCEPT)
_EXTEND = _OF_USER.where(_WITH_ID, _PENDING, requests.c.expires_at.is_not(None)).returning(requests)
_REMARK = _OF_USER.where(_WITH_ID, _PENDING)
_RECOUNT = _OF_USER.where(_WITH_ID)
_END_ALL = _OF_USER.where(_AMONG_IDS, _PENDING).returning(requests.c.id)
_SENT = _OF_USER.where(is_sending).returning(requests.c.id)
# What was unknown when this program or the connection ended may be sent again later, and then be delivered.
_ARRIVED = _OF_USER.where(or_(is_sending, requests.c.delivery == Delivery.UNKNOWN)).returning(requests.c.id)
_OF_ROUNDS = and_(_OF_CALL, requests.c.origin.in_([Origin.ROUND, Origin.TASK]))
_DELIVER, _DELIVERED = _SENT.where(_AMONG_IDS), _ARRIVED.where(_AMONG_IDS)
_DELIVER_ROUNDS, _DELIVERED_ROUNDS = _SENT.where(_OF_ROUNDS), _ARRIVED.where(_OF_ROUNDS)


class UserRequests(UserRows):
    """The input requests of one user."""

    @reads
    def find(
        self,
        db: Connection,
        *,
        state: str | None = None,
        server_id: str | None = None,
        call_id: str | None = None,
        limit: int = 1000,
    ) -> list[InputRequest]:
        """Return the newest `limit` requests that match, oldest first."""
        wanted = Wanted(state=state, server_id=server_id, call_id=call_id)
        return [request_of(row) for row in found_rows(db, self._own(), wanted, limit, whole=True)]

    @reads
    def get(self, db: Connection, request_id: str) -> InputRequest:
        """Return one request; raises NotFoundError, also for a request of another user."""
        found = db.execute(_GET, self._own(with_id=request_id)).one_or_none()
        if found is None:
            raise NotFoundError(_("There is no request “{id}”.").format(id=request_id))
        return request_of(found)

    @reads
    def by_ids(self, db: Connection, ids: Collection[str]) -> dict[str, InputRequest]:
        """Return the requests with these ids, by id."""
        return requests_by_ids(db, self._own(), ids)

    @reads
    def open_ids(self, db: Connection) -> list[str]:
        """Return the ids of all requests that are pending or waiting, oldest first."""
        return [row.id for row in sorted(db.execute(_OPEN_PLACES, self._own()))]

    @reads
    def count_pending(self, db: Connection) -> dict[str, int]:
        """Return the number of pending requests without a decision, by server id."""
        return count_pending(db, self._own())

    @reads
    def pending_of(self, db: Connection, server_id: str | None, *, but: Collection[str] = ()) -> tuple[int, int]:
        """Return number and characters of the pending requests of one or all servers, `but` these."""
        query = _PENDING_OF_ALL if server_id is None else _PENDING_OF
        count, size = db.execute(query, self._own(of_server=server_id, but=list(but))).one()
        return count, size

    @writes
    def add(
        self,
        db: Connection,
        *new: InputRequest,
        prefills: Mapping[str, Texts] | None = None,
        calls: Collection[CallChange] = (),
    ) -> bool:
        """Add new requests, and change their calls; False if a call that must be open has ended.

        `prefills` are the texts of prefilled forms by request.
        """
        for request in new:
            self._check_owner(request.user_id)
        if not write_changes(db, self._own(), calls):
            return False
        if new:
            db.execute(_ADD, [columns_of(request) | self._node.columns for request in new])
        for request_id, texts in (prefills or {}).items():
            put_draft(db, self._user_id, request_id, texts, prefilled=True)
        return True

    @writes
    def settle(
        self,
        db: Connection,
        request_id: str,
        *,
        to: RequestState,
        reason: Reason | None = None,
        content: Json | None = None,
        message: str | None = None,
        withheld: Collection[str] = (),
        secrets_for: str | None = None,
        undo_until: datetime | None = None,
        looked_ms: int | None = None,
        opened_at: datetime | None = None,
        delivery: Delivery | None = None,
        via: Via | None = None,
        ended_via: Via | None = None,
        from_: Collection[RequestState] = (RequestState.PENDING,),
        calls: Collection[CallChange] = (),
    ) -> InputRequest | None:
        """Move a request out of one of the states `from_`, and change `calls`; None if another was first.

        `message` is what the person declines with. The draft is deleted if the answer is sent, else it stays a while.
        Values of `content` that are `withheld` are not stored, or only until the call or task `secrets_for` no longer
        needs them. With `undo_until`, a decision is sent: it must still stand until then.
        """
        public, secrets = split_secrets(content, withheld) if content is not None and withheld else (content, None)
        also: dict[str, Any] = {"content": public, "opened_at": opened_at, "delivery": delivery, "via": via}
        also |= {"withheld": list(withheld) or None, "looked_ms": looked_ms}
        settled = {"state": to, "ended_via": ended_via, "settled_at": now(), **reason_columns(reason)}
        settled |= {column: value for column, value in also.items() if value is not None}
        # None as well: one that was decided with a reason may end otherwise meanwhile.
        settled["decline_message"] = message
        # Also none: those of the question itself are not needed any more.
        settled["secrets"] = secrets if secrets_for is not None else None
        if public or message:
            settled["values_text"] = values_text_of([public, message])
        grown = sum(about_size(each) for each in (content, message) if each is not None)
        here = self._own(with_id=request_id, from_states=list(from_), grown=grown)
        here |= {"decided_until": undo_until} if undo_until else {}
        row = db.execute(_SETTLE_DECIDED if undo_until else _SETTLE, here | settled).one_or_none()
        if row is None:
            return None
        _scrub_arguments(db, [row])
        end_draft(db, self._user_id, request_id, to)
        write_changes(db, self._own(), calls)
        if row.origin == Origin.PROGRAM:
            arm_webhooks(db, self._user_id, [request_id])
        if via is not None:
            record(db, AuditAction.ANSWERED, object=request_id, outcome=to)
        return request_of(row)

    @writes
    def decline(
        self,
        db: Connection,
        by_delivery: Mapping[Delivery | None, Collection[str]],
        *,
        via: Via,
        calls: Collection[CallChange] = (),
    ) -> list[InputRequest]:
        """Decline all of these requests that are pending, given by how their delivery begins; return those.

        Each row is as after `settle`, and `calls` are changed if one was pending. The message of a decline that
        was decided before stays.
        """
        rows: list[Row[Any]] = []
        for delivery, ids in by_delivery.items():
            # A request that gets no answer has no delivery, before as after.
            sent = {} if delivery is None else {"delivery": delivery}
            declined = {"state": RequestState.DECLINED, "via": via, "settled_at": now(), "secrets": None}
            declined |= sent | reason_columns(None)
            rows += db.execute(_DECLINE, self._own(ids=list(ids)) | declined).all()
        if not rows:
            return []
        purge_drafts(db)
        _scrub_arguments(db, rows)
        write_changes(db, self._own(), calls)
        arm_webhooks(db, self._user_id, [row.id for row in rows])
        for row in rows:
            record(db, AuditAction.ANSWERED, object=row.id, outcome=RequestState.DECLINED)
            if message := row.decline_message:
                found_by = {"values_text": values_text_of([message]), "grown": about_size(message)}
                db.execute(_FIND_BY_MESSAGE, self._own(with_id=row.id) | found_by)
        return sorted(map(request_of, rows), key=place_of)

    @writes
    def decide(
        self, db: Connection, ids: Collection[str], action: Action, undo_until: datetime, *, message: str | None = None
    ) -> list[ListedRequest]:
        """Store how the person decided until that is sent; return those of the requests that are pending."""
        decided = {"decided": action, "undo_until": undo_until, "decline_message": message}
        rows = db.execute(_DECIDE, self._own(ids=list(ids)) | decided)
        return [listed_of(row) for row in rows]

    @reads
    def approved(self, db: Connection) -> list[ListedRequest]:
        """Return the pending requests that the person has approved and can still undo."""
        return [listed_of(row) for row in db.execute(_APPROVED, self._own())]

    @writes
    def undo(self, db: Connection, ids: Collection[str]) -> list[ListedRequest]:
        """Remove the decisions; return those of the requests that are pending."""
        undone = dict.fromkeys(("decided", "undo_until", "decline_message"))
        rows = db.execute(_DECIDE, self._own(ids=list(ids)) | undone)
        return [listed_of(row) for row in rows]

    @writes
    def extend(self, db: Connection, request_id: str, expires_at: datetime) -> InputRequest | None:
        """Set another deadline of a pending request that has one; None if it is settled."""
        row = db.execute(_EXTEND, self._own(with_id=request_id, expires_at=expires_at)).one_or_none()
        return request_of(row) if row else None

    @writes
    def remark(self, db: Connection, request_id: str, reason: Reason) -> bool:
        """Set the reason of a pending request, until it is settled; False if it is not pending."""
        return db.execute(_REMARK, self._own(with_id=request_id) | reason_columns(reason)).rowcount == 1

    @writes
    def recount(self, db: Connection, request_id: str, count: int) -> None:
        """Set how many requests a settled one stands for."""
        db.execute(_RECOUNT, self._own(with_id=request_id, count=count))

    @writes
    def end_all(self, db: Connection, ids: Collection[str], to: RequestState, reason: Reason) -> list[str]:
        """Settle all of these requests that are pending; return the ids of those."""
        ended = self._own(ids=list(ids), state=to, settled_at=now(), decline_message=None) | reason_columns(reason)
        moved = list(db.execute(_END_ALL, ended).scalars())
        erase_secrets(db, self._user_id, moved)
        purge_drafts(db)
        arm_webhooks(db, self._user_id, moved)
        return moved

    @writes
    def deliver(self, db: Connection, ids: Collection[str], delivery: Delivery) -> list[str]:
        """Set the delivery of answers that are being sent; return their requests' ids.

        The secrets of an answer that was delivered are erased.
        """
        query = _DELIVERED if delivery is Delivery.DELIVERED else _DELIVER
        sent = list(db.execute(query, self._own(ids=list(ids), delivery=delivery)).scalars())
        if delivery is Delivery.DELIVERED:
            erase_secrets(db, self._user_id, sent)
        return sent

    @writes
    def deliver_rounds(self, db: Connection, call_id: str, delivery: Delivery) -> list[str]:
        """Set the delivery of answers in a call's rounds or task that are being sent; return their requests' ids."""
        query = _DELIVERED_ROUNDS if delivery is Delivery.DELIVERED else _DELIVER_ROUNDS
        ids = list(db.execute(query, self._own(of_call=call_id, delivery=delivery)).scalars())
        # Until the server took them, they may have to be sent again, by the next process if need be.
        if delivery is Delivery.DELIVERED:
            erase_answer_secrets(db, self._user_id, call_id)
        return ids


def _scrub_arguments(db: Connection, settled: Collection[Row[Any]]) -> None:
    """Have the database forget the secret arguments of approvals that are settled, within a unit of work."""
    if any(row.kind == APPROVAL and row.withheld for row in settled):
        scrub_after(db)


def requests_by_ids(db: Connection, own: Json, ids: Collection[str]) -> dict[str, InputRequest]:
    """Return the requests with these ids by id, within a unit of work; `own` names the user."""
    return {row.id: request_of(row) for row in db.execute(_BY_IDS, {**own, "ids": list(ids)})}


def count_pending(db: Connection, own: Json) -> dict[str, int]:
    """Return the number of pending requests by server, within a unit of work; `own` names the user."""
    return {row[0]: row[1] for row in db.execute(_COUNT_PENDING, own)}


def count_open(db: Connection, own: Json) -> int:
    """Return the number of pending and waiting requests, within a unit of work; `own` names the user."""
    return db.execute(_COUNT_OPEN, own).scalar_one()
