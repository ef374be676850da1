"""The history page: settled requests and ended calls, with a search that is a plain form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import groupby
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, InputRequest, Via, now
from webclient.services import Services
from webclient.store import ENDED, SETTLED, HistoryFilter, HistoryPage, SettledOfCall, day_bounds, words_of_search
from webclient.web.http import PrincipalDep, ServicesDep, TimeZoneDep, read_history_cursor, render
from webclient.web.pages.calls.call_status import CallRow, read_call_rows
from webclient.web.pages.inbox import cards
from webclient.web.pages.inbox.cards import Card
from webclient.web.pages.page_context import PageContext, read_page_context

router = APIRouter(include_in_schema=False)

SHOWN = 50
"""The number of entries on one page."""

MOST_NESTED = 20
"""The number of questions that are shown below one call: a flood of one must not hide those of the others."""

FILTERS = ("type", "state", "server_id", "via", "from", "to", "mine")
LONGEST = 200

_KNOWN = {"type": ("request", "call"), "state": (*SETTLED, *ENDED), "via": tuple(Via), "mine": ("true",)}
"""The values of the filters that have a list of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search: `texts` as typed, by control, and `errors` for the invalid ones."""

    texts: Mapping[str, str]
    errors: Mapping[str, str]
    wanted: HistoryFilter

    @property
    def filtered(self) -> bool:
        """Whether any filter is set, besides those that have a chip."""
        return any(self.texts[name] for name in FILTERS if name not in ("type", "mine"))

    @property
    def words(self) -> Sequence[str]:
        """The words that are looked for, casefolded."""
        return words_of_search(self.texts["q"])

    @property
    def without_text(self) -> str:
        """The query string of the same search for any text."""
        return self.query(q="")

    def with_filter(self, name: str, value: str) -> str:
        """Return the query string of the same search with another value of a filter; of one day, up to now."""
        return self.query(**({name: value} | ({"to": ""} if name == "from" else {})))

    def query(self, **more: str) -> str:
        """Return the query string of this search."""
        return urlencode({name: text for name, text in {**self.texts, **more}.items() if text})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEntry:
    """An ended call with the cards of its first settled questions; `count` is the number of all."""

    row: CallRow
    cards: Sequence[Card]
    count: int

    @property
    def moment(self) -> datetime:
        """When the call ended."""
        return self.row.call.updated_at


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEntry:
    """A settled question outside of a call's entry."""

    card: Card

    @property
    def moment(self) -> datetime:
        """When the question was settled."""
        return self.card.request.settled_at or self.card.request.created_at


@dataclass(frozen=True, slots=True)
class Day:
    """The entries of one day in the person's time zone; `date` is a moment in UTC with that date."""

    date: datetime
    entries: Sequence[CallEntry | RequestEntry]


@router.get("/history")
async def show_history(
    request: Request, services: ServicesDep, principal: PrincipalDep, zone: TimeZoneDep
) -> HTMLResponse:
    """Show a page of matching entries, newest first."""
    page_context = await read_page_context(services, principal.user_id)
    search = read_search(request.query_params, zone)
    before = request.query_params.get("before")
    found = HistoryPage([], None)
    if not search.errors:
        place = read_history_cursor(before)
        found = await services.store.of(principal.user_id).history.page(search.wanted, before=place, limit=SHOWN)
    return render(
        request,
        "history/page.html",
        status=422 if search.errors else 200,
        page_context=page_context,
        search=search,
        news=0,
        today=(today := now().astimezone(zone).date()).isoformat(),
        monday=(today - timedelta(days=today.weekday())).isoformat(),
        states=list(dict.fromkeys([*SETTLED, *ENDED])),
        vias=list(Via),
        removed=await _removed(services, principal.user_id, page_context),
        days=list(_days(await _entries(services, principal.user_id, found.entries), zone)),
        older=str(found.next) if found.next else None,
        reached=found.reached,
        before=before,
    )


def _days(entries: Iterable[CallEntry | RequestEntry], zone: tzinfo) -> Iterator[Day]:
    for date_, group in groupby(entries, key=lambda entry: entry.moment.astimezone(zone).date()):
        yield Day(datetime.combine(date_, time(12), UTC), list(group))


async def _entries(
    services: Services, user_id: str, found: Sequence[InputRequest | Call]
) -> list[CallEntry | RequestEntry]:
    calls = [each for each in found if isinstance(each, Call)]
    rows = {row.call.id: row for row in await read_call_rows(services, user_id, calls)}
    store = services.store.of(user_id).requests_of_calls
    nested = await store.settled(list(rows), MOST_NESTED) if rows else {}
    return [
        _call_entry(rows[each.id], nested.get(each.id, SettledOfCall()))
        if isinstance(each, Call)
        else RequestEntry(card=cards.untouched(each))
        for each in found
    ]


def _call_entry(row: CallRow, settled: SettledOfCall) -> CallEntry:
    return CallEntry(row=row, cards=[cards.untouched(each) for each in settled.first], count=settled.count)


async def _removed(services: Services, user_id: str, page_context: PageContext) -> list[tuple[str, str]]:
    """Return the ids and labels of removed servers that are in the history."""
    here = [row.server.id for row in page_context.servers]
    labels = await services.store.of(user_id).history.labels_of_removed(here)
    return sorted(labels.items(), key=lambda each: (each[1].casefold(), each[0]))


async def count_new(services: Services, user_id: str, search: Search, since: datetime) -> int:
    """Count the matching entries since `since`, `COUNTED` + 1 at most."""
    if search.errors:
        return 0
    latest = max(since, search.wanted.since or since)
    return await services.store.of(user_id).history.count(replace(search.wanted, since=latest))


def read_search(given: QueryParams, zone: tzinfo) -> Search:
    """Read a search from the query; invalid values stay as typed, with an error. Days are those of the `zone`."""
    texts = {name: given.get(name, "").strip()[:LONGEST] for name in ("q", *FILTERS)}
    errors: dict[str, str] = {}
    since, until = day_bounds(_day(texts, "from", errors), _day(texts, "to", errors), zone)
    for name, known in _KNOWN.items():
        if texts[name] not in ("", *known):
            errors[name] = _("Unknown value “{text}”. Choose one from the list.").format(text=texts[name])
    wanted = HistoryFilter(
        text=texts["q"],
        kind=texts["type"] or None,  # type: ignore[arg-type]  # checked above
        state=texts["state"] or None,
        server_id=texts["server_id"] or None,
        via=Via(texts["via"]) if texts["via"] and "via" not in errors else None,
        since=since,
        until=until,
        nested=not (texts["type"] or texts["mine"]),
        mine=texts["mine"] == "true",
    )
    return Search(texts=texts, errors=errors, wanted=wanted)


def _day(texts: Mapping[str, str], name: str, errors: dict[str, str]) -> date | None:
    if not texts[name]:
        return None
    try:
        return date.fromisoformat(texts[name])
    except ValueError:
        errors[name] = _("“{text}” is not a date. Use YYYY-MM-DD.").format(text=texts[name])
        return None
