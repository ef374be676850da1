"""The calls of tools by agents, as the page of rules shows them: those to try a rule on, and those with reports.

Each list is of the newest calls, and bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Result, Row, bindparam, select

from webclient.domain.model import Agent, Call, CallKind, Report, Via
from webclient.store.calls.calls import LONG_ARGUMENTS, call_of, listed_since, select_listed
from webclient.store.database.database import reads
from webclient.store.database.tables import Moment, calls
from webclient.store.database.user_rows import UserRows

_OWN = calls.c.user_id == bindparam("of_user")
_SINCE = calls.c.created_at >= bindparam("since", type_=Moment)
_NEWEST_FIRST = (calls.c.created_at.desc(), calls.c.id.desc())
_OF_TOOLS = (
    select_listed()
    .where(_OWN, _SINCE, calls.c.via == Via.AGENT, calls.c.kind == CallKind.TOOL)
    .order_by(*_NEWEST_FIRST)
    .limit(bindparam("most"))
)
_REPORTED = (
    select(calls.c.id, calls.c.name, calls.c.server_label, calls.c.agent, calls.c.reports, calls.c.created_at)
    .where(_OWN, _SINCE, calls.c.reports.is_not(None))
    .order_by(*_NEWEST_FIRST)
    .limit(bindparam("most"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCall:
    """A call of the tool `name`, with what rules that only report would have done."""

    id: str
    name: str
    server_label: str
    agent: str
    reports: Sequence[Report]
    created_at: datetime


class UserAgentCalls(UserRows):
    """The calls of tools that the agents of one user made."""

    @reads
    def newest(self, db: Connection, limit: int) -> list[Call]:
        """Return the newest, newest first, among the newest calls of all kinds; None in place of long arguments."""
        found = db.execute(_OF_TOOLS, self._own(since=listed_since(db, self._own()), most=limit))
        return [_with_arguments(row) for row in found]

    @reads
    def reported(self, db: Connection, since: datetime, limit: int) -> list[ReportedCall]:
        """Return the newest on which a rule reports, newest first."""
        found: Result[Any] = db.execute(_REPORTED, self._own(since=since, most=limit))
        return [_reported(row) for row in found]


def _with_arguments(row: Row[Any]) -> Call:
    call = call_of(row)
    return replace(call, arguments={}) if call.arguments is None and row.size <= LONG_ARGUMENTS else call


def _reported(row: Row[Any]) -> ReportedCall:
    return ReportedCall(
        id=row.id,
        name=row.name,
        server_label=row.server_label,
        agent=Agent(**row.agent).label if row.agent else "",
        reports=tuple(map(Report.of, row.reports)),
        created_at=row.created_at,
    )
