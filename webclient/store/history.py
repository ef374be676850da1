"""The history of a user: settled requests and ended calls, newest first, in pages with a cursor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import chain, islice
from typing import Any, Literal

from sqlalchemy import Column, ColumnElement, Select, Table, func, literal, or_, select, tuple_

from webclient.model import Call, CallState, InputRequest, RequestState, Via
from webclient.store.calls import call_of, select_calls
from webclient.store.request_columns import request_of
from webclient.store.search import contains_words
from webclient.store.tables import Moment, calls, requests
from webclient.store.user_rows import UserRows

Entry = InputRequest | Call
Kind = Literal["request", "call"]

AT_ONCE = 50
"""Entries that are read together when all are: each may hold megabytes."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

ENDED = tuple(state for state in CallState if state.ended)
SETTLED = tuple(state for state in RequestState if state is not RequestState.PENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """What entries must match, all of it. `since` is included, `until` is not."""

    text: str = ""
    kind: Kind | None = None
    state: str | None = None
    server_id: str | None = None
    via: Via | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, order=True)
class HistoryCursor:
    """The position of an entry in the history; no two have the same."""

    moment: datetime
    id: str

    def __str__(self) -> str:
        return f"{(self.moment - _EPOCH) // _MICROSECOND}-{self.id}"

    @classmethod
    def read(cls, text: str) -> HistoryCursor:
        """Return the cursor written as `text`; raises ValueError if it is not one."""
        number, _, id_ = text.partition("-")
        try:
            return cls(_EPOCH + int(number) * _MICROSECOND, id_)
        except OverflowError as error:
            raise ValueError(str(error)) from error


def day_bounds(first: date | None, last: date | None) -> tuple[datetime | None, datetime | None]:
    """Return `since` and `until` of these days, both included, in UTC."""
    since = None if first is None else datetime.combine(first, time(), UTC)
    until = None if last is None or last == date.max else datetime.combine(last + timedelta(days=1), time(), UTC)
    return since, until


def cursor_of(entry: Entry) -> HistoryCursor:
    """Return the position of the entry."""
    if isinstance(entry, Call):
        return HistoryCursor(entry.updated_at, entry.id)
    return HistoryCursor(entry.settled_at or entry.created_at, entry.id)


class UserHistory(UserRows):
    """The settled requests and ended calls of one user together."""

    async def page(
        self,
        wanted: HistoryFilter,
        *,
        before: HistoryCursor | None = None,
        limit: int,
        with_results: bool = False,
    ) -> list[Entry]:
        """Return the `limit` newest entries that match, of those `before` a cursor.

        Results of calls are left out, except `with_results`.
        """
        found: list[list[Entry]] = []
        which: dict[str, Any] = {
            "user_id": self._user_id,
            "wanted": wanted,
            "before": before,
            "with_results": with_results,
        }
        async with self._engine.connect() as db:
            for table, moment, states in _places(wanted):
                rows = await db.execute(_selected(table, moment, states, **which).limit(limit))
                found.append([request_of(row) if table is requests else call_of(row) for row in rows])
        return list(islice(merge(*found, key=cursor_of, reverse=True), limit))

    async def count(self, wanted: HistoryFilter) -> int:
        """Return how many entries match."""
        which: dict[str, Any] = {"user_id": self._user_id, "wanted": wanted, "before": None}
        found = 0
        async with self._engine.connect() as db:
            for place in _places(wanted):
                fitting = _selected(*place, **which).with_only_columns(func.count()).order_by(None)
                found += (await db.execute(fitting)).scalar_one()
        return found

    async def all(self, wanted: HistoryFilter) -> AsyncIterator[Entry]:
        """Yield all entries that match, with their results, read a few at a time."""
        before: HistoryCursor | None = None
        while page := await self.page(wanted, before=before, limit=AT_ONCE, with_results=True):
            for entry in page:
                yield entry
            before = cursor_of(page[-1])

    async def labels_of_removed(self, known: Collection[str]) -> dict[str, str]:
        """Return the last labels of servers that have entries and are not `known`."""
        found: dict[str, tuple[datetime, str]] = {}
        in_requests = _labels(requests, requests.c.asked_by["label"].as_string(), SETTLED, self._user_id, known)
        in_calls = _labels(calls, calls.c.server_label, ENDED, self._user_id, known)
        async with self._engine.connect() as db:
            for server_id, label, moment in chain(
                await db.execute(in_requests),
                await db.execute(in_calls),
            ):
                found[server_id] = max(found.get(server_id, (_EPOCH, "")), (moment, label or ""))
        return {server_id: label for server_id, (_moment, label) in found.items()}


_ONLY_CALLS = frozenset(ENDED) - frozenset(SETTLED)
_ONLY_REQUESTS = frozenset(SETTLED) - frozenset(ENDED)


def _labels(
    table: Table, label: ColumnElement[str], states: Sequence[str], user_id: str, known: Collection[str]
) -> Select[Any]:
    others = table.c.user_id == user_id, table.c.server_id.not_in(list(known)), table.c.state.in_(states)
    return (
        select(table.c.server_id, label, func.max(table.c.created_at)).where(*others).group_by(table.c.server_id, label)
    )


def _places(wanted: HistoryFilter) -> Iterator[tuple[Table, Column[Any], Sequence[str]]]:
    """Yield the tables in which what is wanted may stand, with the moment of an entry and the states it may have."""
    if wanted.kind != "call" and wanted.state not in _ONLY_CALLS:
        yield requests, requests.c.settled_at, SETTLED
    if wanted.kind != "request" and wanted.state not in _ONLY_REQUESTS:
        yield calls, calls.c.updated_at, ENDED


def _selected(
    table: Table,
    moment: Column[Any],
    states: Sequence[str],
    *,
    user_id: str,
    wanted: HistoryFilter,
    before: HistoryCursor | None,
    with_results: bool = False,
) -> Select[Any]:
    fitting_states = [state for state in states if wanted.state in (None, state)]
    every = select_calls(with_results=with_results) if table is calls else select(table)
    fitting = every.where(table.c.user_id == user_id, table.c.state.in_(fitting_states))
    if wanted.server_id is not None:
        fitting = fitting.where(table.c.server_id == wanted.server_id)
    if wanted.via is not None:
        places = [table.c[name] for name in ("via", "ended_via") if name in table.c]
        fitting = fitting.where(or_(*(place == wanted.via for place in places)))
    if wanted.since is not None:
        fitting = fitting.where(moment >= wanted.since)
    if wanted.until is not None:
        fitting = fitting.where(moment < wanted.until)
    if wanted.text:
        fitting = fitting.where(_saying(table, wanted.text))
    if before is not None:
        place = tuple_(literal(before.moment, Moment), literal(before.id))
        fitting = fitting.where(tuple_(moment, table.c.id) < place)
    return fitting.order_by(moment.desc(), table.c.id.desc())


def _saying(table: Table, text: str) -> ColumnElement[bool]:
    """Return the condition that an entry, as shown with its reason, contains each word."""
    if table is calls:
        message = func.lower(func.coalesce(calls.c.error["message"].as_string(), ""))
        return contains_words(text, [calls.c.search_text, message], calls.c.error["reason_code"].as_string())
    earlier, parameters = (func.coalesce(requests.c[name], "") for name in ("reason", "reason_search_text"))
    return contains_words(text, [requests.c.search_text, func.lower(earlier), parameters], requests.c.reason_code)
