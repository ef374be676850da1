"""The history page: settled requests and ended calls, with a search that is a plain form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse

from webclient.http import PrincipalDep, ServicesDep, read_history_cursor, render
from webclient.i18n import gettext as _
from webclient.model import Call, Via
from webclient.pages import cards
from webclient.pages.page_context import PageContext, read_page_context
from webclient.services import Services
from webclient.store import ENDED, SETTLED, HistoryFilter, cursor_of, day_bounds

router = APIRouter(include_in_schema=False)

SHOWN = 50
"""The number of entries on one page."""

FILTERS = ("type", "state", "server_id", "via", "from", "to")
LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search: `texts` as typed, by control, and `errors` for the invalid ones."""

    texts: Mapping[str, str]
    errors: Mapping[str, str]
    wanted: HistoryFilter

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return any(self.texts[name] for name in FILTERS)

    def query(self, **more: str) -> str:
        """Return the query string of this search."""
        return urlencode({name: text for name, text in {**self.texts, **more}.items() if text})


@router.get("/history")
async def show_history(request: Request, services: ServicesDep, principal: PrincipalDep) -> HTMLResponse:
    """Show a page of matching entries, newest first."""
    page_context = await read_page_context(services, principal.user_id)
    search = read_search(request.query_params)
    before = request.query_params.get("before")
    found = []
    if not search.errors:
        place = read_history_cursor(before)
        found = await services.store.of(principal.user_id).history.page(search.wanted, before=place, limit=SHOWN + 1)
    return render(
        request,
        "history/page.html",
        status=422 if search.errors else 200,
        page_context=page_context,
        search=search,
        news=0,
        states=list(dict.fromkeys([*SETTLED, *ENDED])),
        vias=list(Via),
        removed=await _removed(services, principal.user_id, page_context),
        entries=[each if isinstance(each, Call) else cards.untouched(each) for each in found[:SHOWN]],
        older=str(cursor_of(found[SHOWN - 1])) if len(found) > SHOWN else None,
        before=before,
    )


async def _removed(services: Services, user_id: str, page_context: PageContext) -> list[tuple[str, str]]:
    """Return the ids and labels of removed servers that are in the history."""
    here = [row.server.id for row in page_context.servers]
    labels = await services.store.of(user_id).history.labels_of_removed(here)
    return sorted(labels.items(), key=lambda each: (each[1].casefold(), each[0]))


async def count_new(services: Services, user_id: str, search: Search, since: datetime) -> int:
    """Count the matching entries since `since`."""
    if search.errors:
        return 0
    latest = max(since, search.wanted.since or since)
    return await services.store.of(user_id).history.count(replace(search.wanted, since=latest))


def read_search(given: QueryParams) -> Search:
    """Read a search from the query; invalid values stay as typed, with an error."""
    texts = {name: given.get(name, "").strip()[:LONGEST] for name in ("q", *FILTERS)}
    errors: dict[str, str] = {}
    since, until = day_bounds(_day(texts, "from", errors), _day(texts, "to", errors))
    for name, known in (("type", ("request", "call")), ("state", (*SETTLED, *ENDED)), ("via", tuple(Via))):
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
