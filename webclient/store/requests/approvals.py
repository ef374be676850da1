"""The approvals of a user: those that were decided alike, and all of some days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Result, Row, bindparam, select, text

from webclient.domain.approvals import APPROVAL
from webclient.domain.insights import ApprovalRecord
from webclient.domain.model import EXCERPT, UNREAD, InputRequest, ReasonCode, RequestState
from webclient.store.database.database import reads
from webclient.store.database.search import storable
from webclient.store.database.tables import Moment, requests
from webclient.store.database.user_rows import UserRows

_OWN = requests.c.user_id == bindparam("of_user")
# In the words of their index.
_IS_APPROVAL = text("kind = 'approval'")
_SINCE = requests.c.created_at >= bindparam("since", type_=Moment)
_NEWEST_FIRST = requests.c.created_at.desc()
_DECIDED_ALIKE = (
    select(requests.c.digest, requests.c.state, requests.c.reason_code, requests.c.looked_ms)
    .where(_OWN, requests.c.kind == APPROVAL)
    # As they were decided, which is not as they came.
    .where(requests.c.settled_at.between(bindparam("since", type_=Moment), bindparam("until", type_=Moment)))
    .where(requests.c.server_id == bindparam("of_server"), requests.c.call_name == bindparam("of_tool"))
    .where(requests.c.asked_by["token_id"].as_string() == bindparam("of_token"))
    .where(requests.c.state.in_([RequestState.ACCEPTED, RequestState.DECLINED]))
    .order_by(requests.c.settled_at.desc())
    .limit(bindparam("most"))
)


_NEWEST = (
    select(
        *(requests.c[name] for name in ("call_name", "server_id", "rule_id", "state", "reason_code")),
        *(requests.c[name] for name in ("created_at", "settled_at", "looked_ms")),
        *(requests.c.asked_by[name].as_string().label(name) for name in ("label", "token_id")),
    )
    .where(_OWN, _IS_APPROVAL, _SINCE)
    .order_by(_NEWEST_FIRST)
    .limit(bindparam("most"))
)


@dataclass(frozen=True, slots=True)
class DecidedApproval:
    """A decision on a call; it `is_unread` if the call was approved as proposed, sooner than a person can read."""

    digest: str
    is_unread: bool


class UserApprovals(UserRows):
    """The questions of one user whether an agent's call may run."""

    @reads
    def decided_alike(
        self, db: Connection, settled: InputRequest, back: timedelta, limit: int
    ) -> Sequence[DecidedApproval]:
        """Return the last decisions on calls of the same tool, server and agent, newest first.

        The newest is the one on `settled`.
        """
        at = settled.settled_at or settled.created_at
        alike = self._own(
            since=at - back,
            until=at,
            of_server=settled.server_id,
            of_tool=storable((settled.call_name or "")[:EXCERPT]),
            of_token=settled.asked_by.token_id,
            most=limit,
        )
        return [_decided(row) for row in db.execute(_DECIDED_ALIKE, alike)]

    @reads
    def newest(self, db: Connection, since: datetime, limit: int) -> list[ApprovalRecord]:
        """Return the newest questions since then, newest first."""
        found: Result[Any] = db.execute(_NEWEST, self._own(since=since, most=limit))
        return [_record(row) for row in found]


def _record(row: Row[Any]) -> ApprovalRecord:
    return ApprovalRecord(
        tool=row.call_name or "",
        server_id=row.server_id,
        agent=row.label,
        token_id=row.token_id,
        rule_id=row.rule_id,
        state=RequestState(row.state),
        reason_code=row.reason_code and ReasonCode(row.reason_code),
        created_at=row.created_at,
        settled_at=row.settled_at,
        looked_ms=row.looked_ms,
    )


def _decided(row: Row[Any, Any, Any, Any]) -> DecidedApproval:
    approved = row.state == RequestState.ACCEPTED and row.reason_code is None
    return DecidedApproval(row.digest, approved and row.looked_ms is not None and row.looked_ms <= UNREAD)
