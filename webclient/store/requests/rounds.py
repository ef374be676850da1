"""The saved answers of rounds: reopened to be changed, or taken to be sent; whichever comes first wins."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from webclient.domain.model import (
    CHANGEABLE,
    Delivery,
    InputRequest,
    ListedRequest,
    Origin,
    Reason,
    RequestState,
    Stage,
)
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.reasons import reason_columns
from webclient.store.database.tables import is_sending, requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.drafts import Texts, put_draft, remove_draft
from webclient.store.requests.request_columns import LISTED, listed_of, request_of
from webclient.store.requests.requests import requests_by_ids

_OF_OWN = also_own(requests)
_OF_USER = update(requests).where(_OF_OWN)
_SAVED = requests.c.delivery == Delivery.SAVED
_AMONG_CALLS = requests.c.call_id.in_(bindparam("calls", expanding=True))

_ANSWERED = requests.c.id == bindparam("with_id"), requests.c.state.in_(CHANGEABLE)
_REOPEN_SAVED = _OF_USER.where(*_ANSWERED, _SAVED).returning(requests)
_REOPEN_SENT = _OF_USER.where(*_ANSWERED, is_sending).returning(requests)
_MOVE = _OF_USER.where(
    requests.c.id.in_(bindparam("ids", expanding=True)), requests.c.delivery == bindparam("from_delivery")
)
_FAIL = _OF_USER.where(_SAVED, requests.c.call_id == bindparam("of_call"), requests.c.origin == Origin.ROUND)
_FAIL_IDS = _FAIL.returning(requests.c.id)
_PENDING = select(*LISTED).where(_OF_OWN, requests.c.state == RequestState.PENDING, _AMONG_CALLS)

_NOTHING = ("content", "decline_message", "secrets", "withheld", "delivery", "settled_at", "opened_at", "ended_via")
"""The columns of an answer, which a request has no more when it is pending again."""


class UserRounds(UserRows):
    """The rounds of one user's calls."""

    @writes
    def reopen(
        self,
        db: Connection,
        request_id: str,
        texts: Texts,
        expires_at: datetime | None,
        *,
        refused: Reason | None = None,
    ) -> InputRequest | None:
        """Make a request pending again whose answer is saved; None once the answer is sent.

        If the server `refused` the answer for that reason, it is one that was sent. `texts` become its draft.
        """
        again = {**dict.fromkeys(_NOTHING), "state": RequestState.PENDING, "expires_at": expires_at}
        if (before := requests_by_ids(db, self._own(), [request_id]).get(request_id)) and before.sampling:
            # The message comes back for review. Nothing else has written it since: it is no longer pending.
            again["sampling"] = replace(before.sampling, stage=Stage.REVIEWING, result=before.content).to_json()
        own = self._own(with_id=request_id) | again | reason_columns(refused)
        row = db.execute(_REOPEN_SENT if refused else _REOPEN_SAVED, own).one_or_none()
        if row is None:
            return None
        if texts:
            remove_draft(db, self._user_id, request_id)
            put_draft(db, self._user_id, request_id, texts, prefilled=False)
        # The answer may have had secrets, which are not part of the draft.
        scrub_after(db)
        return request_of(row)

    @writes
    def take(self, db: Connection, ids: Collection[str]) -> list[InputRequest]:
        """Mark the saved answers of a round as being sent, and return the rows.

        From then on none can be changed. If any of them is pending again, nothing is marked.
        """
        # First the rows are locked, then looked at: an answer that is reopened meanwhile waits, and comes too late.
        own = self._own(ids=list(ids))
        db.execute(_MOVE, own | {"from_delivery": Delivery.SAVED, "delivery": Delivery.SENDING})
        rows = requests_by_ids(db, self._own(), ids)
        if any(row.pending for row in rows.values()):
            db.execute(_MOVE, own | {"from_delivery": Delivery.SENDING, "delivery": Delivery.SAVED})
            rows = requests_by_ids(db, self._own(), ids)
        return [rows[request_id] for request_id in ids if request_id in rows]

    @writes
    def fail(self, db: Connection, call_id: str) -> list[str]:
        """Mark the saved answers of a call that ends as failed; return the ids of their requests."""
        return list(db.execute(_FAIL_IDS, self._own(of_call=call_id, delivery=Delivery.FAILED)).scalars())

    @reads
    def pending(self, db: Connection, call_ids: Collection[str]) -> list[ListedRequest]:
        """Return the pending requests of these calls, by their position."""
        found = map(listed_of, db.execute(_PENDING, self._own(calls=list(call_ids))))
        return sorted(found, key=lambda request: (request.created_at, request.position))
