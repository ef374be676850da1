"""The API of the history: settled requests and ended calls, in pages or as JSON Lines."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BeforeValidator, Field
from starlette.responses import StreamingResponse

from webclient.domain.i18n import gettext as _
from webclient.domain.model import AuditAction, Call, CallState, InputRequest, RequestState, Via
from webclient.services import Services
from webclient.store import HistoryFilter, day_bounds
from webclient.support.standard_json import dumps
from webclient.web.api.call_shapes import CallShape, call_shape
from webclient.web.api.paging import Fields, wants_results
from webclient.web.api.request_shapes import RequestShape, request_shape
from webclient.web.api.shapes import Maybe, Shape
from webclient.web.http import PrincipalDep, ServicesDep, problems, read_history_cursor

router = APIRouter(tags=["history"])

MOST = 100
"""The most entries in one page; each may be megabytes."""


class RequestEntryShape(RequestShape):
    """A settled request in the history."""

    type: Literal["request"]


class CallEntryShape(CallShape):
    """A call that has ended, in the history."""

    type: Literal["call"]


HistoryEntryShape = Annotated[RequestEntryShape | CallEntryShape, Field(discriminator="type")]


class HistoryShape(Shape):
    """A page of the history, newest first; `next` is the cursor of the page with older entries."""

    entries: list[HistoryEntryShape]
    next: Maybe[str] = None


class JsonLines(StreamingResponse):
    """One JSON document per line (https://jsonlines.org)."""

    media_type = "application/jsonl"


_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One entry per line, newest first, as in `entries` of /history.",
        "content": {JsonLines.media_type: {"schema": {"type": "string"}}},
    }
}


def _written_as_day(text: str) -> str:
    # Pydantic would take a number, too, for the seconds since 1970.
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(_("“{text}” is not a date. Use YYYY-MM-DD.").format(text=text))
    return text


Day = Annotated[date, BeforeValidator(_written_as_day)]


async def _wanted(
    *,
    q: Annotated[str, Query(max_length=200, description="Words to search for; an entry must have all of them.")] = "",
    type: Literal["request", "call"] | None = None,  # noqa: A002  (the name of the parameter in the address)
    state: RequestState | CallState | None = None,
    server_id: str | None = None,
    via: Via | None = None,
    first: Annotated[Day | None, Query(alias="from", description="First day, in UTC.")] = None,
    last: Annotated[Day | None, Query(alias="to", description="Last day, in UTC.")] = None,
    mine: Annotated[bool, Query(description="Only questions that the user answered on the pages.")] = False,
) -> HistoryFilter:
    since, until = day_bounds(first, last)
    return HistoryFilter(
        text=q, kind=type, state=state, server_id=server_id, via=via, since=since, until=until, mine=mine
    )


WantedOf = Annotated[HistoryFilter, Depends(_wanted)]


@router.get("/history", responses=problems(422))
async def list_history(
    services: ServicesDep,
    principal: PrincipalDep,
    wanted: WantedOf,
    *,
    before: Annotated[str | None, Query(description="The `next` of the previous page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    fields: Fields = None,
) -> HistoryShape:
    """List settled requests and ended calls, newest first; calls without results unless `fields` names them."""
    place, with_results = read_history_cursor(before), wants_results(fields)
    found = await services.store.of(principal.user_id).history.page(
        wanted, before=place, limit=limit, with_results=with_results
    )
    return HistoryShape(
        entries=[_shape(entry) for entry in found.entries], next=str(found.next) if found.next else None
    )


@router.get("/history.jsonl", response_class=JsonLines, responses=_LINES | problems(422))
async def export_history(services: ServicesDep, principal: PrincipalDep, wanted: WantedOf) -> JsonLines:
    """Export all matching entries with their results as JSON Lines."""
    await services.store.audit.add(AuditAction.HISTORY_EXPORTED)
    headers = {"Content-Disposition": 'attachment; filename="history.jsonl"'}
    return JsonLines(_lines(services, principal.user_id, wanted), headers=headers)


async def _lines(services: Services, user_id: str, wanted: HistoryFilter) -> AsyncIterator[str]:
    async for entry in services.store.of(user_id).history.all(wanted):
        yield dumps(_shape(entry).as_json()) + "\n"


def _shape(entry: InputRequest | Call) -> RequestEntryShape | CallEntryShape:
    if isinstance(entry, Call):
        return CallEntryShape.of(call_shape(entry), type="call")
    return RequestEntryShape.of(request_shape(entry), type="request")
