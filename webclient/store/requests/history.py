"""The history of a user: settled requests and ended calls, newest first, in pages with a cursor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any, Literal

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from webclient.domain.model import Call, CallState, InputRequest, RequestState, Via
from webclient.store.calls.calls import OPEN, calls_by_ids
from webclient.store.database.database import reads
from webclient.store.database.search import contains_words
from webclient.store.database.sizes import fitting, whole_size
from webclient.store.database.tables import Moment, calls, requests
from webclient.store.database.user_rows import UserRows
from webclient.store.requests.requests import requests_by_ids

Entry = InputRequest | Call
Kind = Literal["request", "call"]

SEARCHED = 20_000
"""Entries of each table that one page is looked for among, so that a search which finds nothing has a bounded cost."""

COUNTED = 1_000
"""Entries that are counted; more are "more than" that."""

AT_ONCE = 50
"""Entries that are read together when all are: each may hold megabytes."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

ENDED = tuple(state for state in CallState if state.ended)
SETTLED = tuple(state for state in RequestState if state is not RequestState.PENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """The conditions that entries must all meet. `since` is included, `until` is not.

    A call whose tool reported an error is "failed" and not "done". `nested`: without requests whose call is found.
    `mine`: requests alone that the person answered on a page, and not a program or a rule for them.
    """

    text: str = ""
    kind: Kind | None = None
    state: str | None = None
    server_id: str | None = None
    via: Via | None = None
    since: datetime | None = None
    until: datetime | None = None
    nested: bool = False
    mine: bool = False

    @property
    def is_selective(self) -> bool:
        """Whether entries may be far between."""
        return bool(self.text or self.state or self.server_id or self.via or self.nested or self.mine)


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some entries, newest first, and the cursor of the next page; None if there are no older ones.

    `reached`: they were looked for only among the entries since then, and there may be older ones.
    """

    entries: list[Entry]
    next: HistoryCursor | None
    reached: datetime | None = None


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an entry stands, and its size."""

    cursor: HistoryCursor
    table: Table
    size: int


def _size(table: Table, with_results: bool) -> ColumnElement[int]:
    if table is requests:
        return whole_size
    return table.c.size + table.c.result_size if with_results else table.c.size


def day_bounds(first: date | None, last: date | None, zone: tzinfo = UTC) -> tuple[datetime | None, datetime | None]:
    """Return `since` and `until` of these days in a time zone, both included."""
    since = None if first is None or first <= _FIRST_DAY else _begin(first, zone)
    until = None if last is None or last >= _LAST_DAY else _begin(last + timedelta(days=1), zone)
    return since, until


_FIRST_DAY = date.min + timedelta(days=1)
_LAST_DAY = date.max - timedelta(days=2)
"""The days beyond which another time zone may have no date."""


def _begin(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def cursor_of(entry: Entry) -> HistoryCursor:
    """Return the position of the entry."""
    if isinstance(entry, Call):
        return HistoryCursor(entry.updated_at, entry.id)
    return HistoryCursor(entry.settled_at or entry.created_at, entry.id)


class UserHistory(UserRows):
    """The settled requests and ended calls of one user together."""

    @reads
    def page(
        self,
        db: Connection,
        wanted: HistoryFilter,
        *,
        before: HistoryCursor | None = None,
        limit: int,
        with_results: bool = False,
    ) -> HistoryPage:
        """Return the `limit` newest entries that match, of those `before` a cursor.

        Results of calls are left out, except `with_results`. It may be fewer: as many as fit into the bytes of a page.
        Of a selective search it may be none, though there are older ones: it looks at `SEARCHED` entries of each table.
        """
        which: dict[str, Any] = {"user_id": self._user_id, "wanted": wanted, "before": before}
        end = self._end(db, **which) if wanted.is_selective else None
        since = end
        found: list[list[_Place]] = []
        for table, moment in _places(wanted):
            places = _selected(table, moment, **which, since=since)
            rows = db.execute(places.with_only_columns(moment, table.c.id, _size(table, with_results)).limit(limit + 1))
            entries = [_Place(HistoryCursor(row[0], row[1]), table, row[2]) for row in rows]
            found.append(entries)
            if len(entries) > limit:
                # Older entries of the other table are not on this page.
                since = max(since, entries[-1].cursor) if since else entries[-1].cursor
        newest = list(islice(merge(*found, key=attrgetter("cursor"), reverse=True), limit + 1))
        count = fitting(place.size for place in newest[:limit])
        entries_here = self._entries(db, newest[:count], with_results)
        if len(newest) > count:
            return HistoryPage(entries_here, newest[count - 1].cursor)
        return HistoryPage(entries_here, end, end.moment if end else None)

    def _entries(self, db: Connection, places: Sequence[_Place], with_results: bool) -> list[Entry]:
        ids = {table: [each.cursor.id for each in places if each.table is table] for table in (requests, calls)}
        found: dict[str, Entry] = dict(requests_by_ids(db, self._own(), ids[requests])) if ids[requests] else {}
        if ids[calls]:
            found |= calls_by_ids(db, self._own(), ids[calls], with_results=with_results)
        return [found[each.cursor.id] for each in places]

    def _end(
        self, db: Connection, *, user_id: str, wanted: HistoryFilter, before: HistoryCursor | None
    ) -> HistoryCursor | None:
        """Return the place down to which a page is looked for, or None if that is the beginning."""
        ends = []
        for table, moment in _places(wanted):
            entry = _within(select(moment, table.c.id).where(table.c.user_id == user_id), table, moment, wanted, before)
            last = db.execute(entry.offset(SEARCHED - 1).limit(1)).one_or_none()
            ends += [HistoryCursor(*last)] if last else []
        return max(ends, default=None)

    @reads
    def count(self, db: Connection, wanted: HistoryFilter) -> int:
        """Return how many entries of a page match, `COUNTED` + 1 at most."""
        which: dict[str, Any] = {"user_id": self._user_id, "wanted": wanted, "before": None}
        since = self._end(db, **which) if wanted.is_selective else None
        found = 0
        for place in _places(wanted):
            fitting = _selected(*place, **which, since=since).with_only_columns(literal(1)).limit(COUNTED + 1)
            found += db.execute(select(func.count()).select_from(fitting.subquery())).scalar_one()
        return min(found, COUNTED + 1)

    async def all(self, wanted: HistoryFilter) -> AsyncIterator[Entry]:
        """Yield all entries that match, with their results, read a few at a time."""
        page = HistoryPage([], None)
        first = True
        while first or page.next:
            first = False
            page = await self.page(wanted, before=page.next, limit=AT_ONCE, with_results=True)
            for entry in page.entries:
                yield entry

    @reads
    def labels_of_removed(self, db: Connection, known: Collection[str]) -> dict[str, str]:
        """Return the last labels of servers that have entries and are not `known`."""
        found: dict[str, tuple[datetime, str]] = {}
        for following, last_label in _LABELS:
            server_id = ""
            # From one server to the next, because a DISTINCT would read the whole history.
            while server_id := db.execute(following, self._own(after=server_id)).scalar_one():
                if server_id not in known:
                    label, moment = db.execute(last_label, self._own(of_server=server_id)).one()
                    found[server_id] = max(found.get(server_id, (_EPOCH, "")), (moment, label or ""))
        return {server_id: label for server_id, (_moment, label) in found.items()}


_call = calls.alias("call")


def _is_over(table: Table | FromClause) -> ColumnElement[bool]:
    """Return the condition that an entry belongs to the history."""
    # Not by a list of states: SQLite would look up each, and sort all that it finds.
    return table.c.settled_at.is_not(None) if "settled_at" in table.c else table.c.state.not_in(OPEN)


def _label_statements(table: Table, label: ColumnElement[str]) -> tuple[Select[Any], Select[Any]]:
    """Return the queries for the server after a given one, and for the last label of a server."""
    own = table.c.user_id == bindparam("of_user"), _is_over(table)
    following = select(func.min(table.c.server_id)).where(*own, table.c.server_id > bindparam("after"))
    of_server = select(label, table.c.created_at).where(*own, table.c.server_id == bindparam("of_server"))
    return following, of_server.order_by(table.c.created_at.desc()).limit(1)


_LABELS = (
    _label_statements(requests, requests.c.asked_by["label"].as_string()),
    _label_statements(calls, calls.c.server_label),
)
_WITHOUT_ANSWER = (
    RequestState.CANCELLED,
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.INTERRUPTED,
    RequestState.REFUSED,
)
_ONLY_CALLS = frozenset(ENDED) - frozenset(SETTLED)
_ONLY_REQUESTS = frozenset(SETTLED) - frozenset(ENDED)


def _places(wanted: HistoryFilter) -> Iterator[tuple[Table, Column[Any]]]:
    """Yield the tables that may have what is wanted, with the moment of an entry."""
    if wanted.kind != "request" and wanted.state not in _ONLY_REQUESTS and not wanted.mine:
        yield calls, calls.c.updated_at
    if wanted.kind != "call" and wanted.state not in _ONLY_CALLS:
        yield requests, requests.c.settled_at


def _selected(
    table: Table,
    moment: Column[Any],
    *,
    user_id: str,
    wanted: HistoryFilter,
    before: HistoryCursor | None,
    since: HistoryCursor | None = None,
) -> Select[Any]:
    found = _within(select(table).where(table.c.user_id == user_id), table, moment, wanted, before)
    found = found.where(*_conditions(table, wanted))
    if wanted.nested and table is requests and wanted.kind is None:
        found = found.where(~_call_is_found(user_id, wanted))
    return found if since is None else found.where(tuple_(moment, table.c.id) >= _place(since))


def _within(
    found: Select[Any],
    table: Table | FromClause,
    moment: ColumnElement[Any],
    wanted: HistoryFilter,
    before: HistoryCursor | None,
) -> Select[Any]:
    """Return the query for entries in the wanted time, newest first: a range of an index."""
    if wanted.since is not None:
        found = found.where(moment >= wanted.since)
    if wanted.until is not None:
        found = found.where(moment < wanted.until)
    if before is not None:
        found = found.where(tuple_(moment, table.c.id) < _place(before))
    return found.where(_is_over(table)).order_by(moment.desc(), table.c.id.desc())


def _place(cursor: HistoryCursor) -> ColumnElement[Any]:
    return tuple_(literal(cursor.moment, Moment), literal(cursor.id))


def _conditions(table: Table | FromClause, wanted: HistoryFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that do not concern the time."""
    of_calls = "tool_failed" in table.c
    if wanted.state == CallState.FAILED and of_calls:
        yield or_(table.c.state == CallState.FAILED, table.c.tool_failed.is_(True))
    elif wanted.state is not None:
        yield table.c.state == wanted.state
    if wanted.state == CallState.DONE and of_calls:
        yield table.c.tool_failed.is_(False)
    if wanted.server_id is not None:
        yield table.c.server_id == wanted.server_id
    if wanted.via is not None:
        places = [table.c[name] for name in ("via", "ended_via") if name in table.c]
        yield or_(*(place == wanted.via for place in places))
    if wanted.mine and "opened_at" in table.c:
        # By the states that it has not: SQLite would look up each of the others, and sort what it finds.
        yield table.c.via == Via.PAGE
        yield table.c.state.not_in(_WITHOUT_ANSWER)
    if wanted.text:
        yield _saying(table, wanted.text)


def _call_is_found(user_id: str, wanted: HistoryFilter) -> ColumnElement[bool]:
    """Return the condition that the call of a request is an entry that matches."""
    own = _within(select(literal(1)), _call, _call.c.updated_at, wanted, None).order_by(None)
    own = own.where(_call.c.id == requests.c.call_id, _call.c.user_id.concat("") == user_id)
    return exists(own.where(*_conditions(_call, wanted)).correlate(requests))


def _saying(table: Table | FromClause, text: str) -> ColumnElement[bool]:
    """Return the condition that an entry, as shown with its reason, contains each word."""
    words = [table.c.search_text, table.c.values_text]
    if "error" in table.c:
        message = func.lower(func.coalesce(table.c.error["message"].as_string(), ""))
        return contains_words(text, [*words, message], table.c.error["reason_code"].as_string())
    parameters = func.coalesce(table.c.reason_search_text, "")
    return contains_words(text, [*words, parameters], table.c.reason_code)
