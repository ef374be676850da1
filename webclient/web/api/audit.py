"""The API of the audit trail, for administrators: in pages, by long poll, and as JSON Lines for a SIEM."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator
from datetime import datetime
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import NO_SUBJECT, AuditAction, AuditEntry, AuditFilter, Person
from webclient.services import Services
from webclient.store import AuditPage
from webclient.support.standard_json import dumps
from webclient.web.api.history import JsonLines
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape, Verbatim
from webclient.web.http import AdminDep, PlaceDep, ServicesDep, StreamClientDep, problems


class AuditedUserShape(Shape):
    """The user of an entry, as the last sign-in named them."""

    issuer: str
    subject: Filled[str] = None
    name: Filled[str] = None
    email: Filled[str] = None


class AuditEntryShape(Shape):
    """An entry of the audit trail: who did what to which `object`, when, from which address, by which credential.

    Without `user_id`, no user was signed in, or it was a command (`way` is `command line`). `object` is the ID of a
    user, server, token or other row. A refused sign-in has the reason as `outcome`, and as `object` how often it was;
    its `details` name whom the provider has proved. No `details` are secret. `user` is absent if
    the user was deleted.
    """

    id: str
    at: Moment
    action: AuditAction
    user_id: Filled[str] = None
    user: Maybe[AuditedUserShape] = None
    way: Filled[str] = None
    address: Filled[str] = None
    credential: Filled[str] = None
    object: Filled[str] = None
    outcome: Filled[str] = None
    details: Filled[Verbatim] = None


class AuditShape(Shape):
    """A page of the audit trail.

    Newest first, `next` is the cursor (`before`) of the page with older entries, and absent on the last one. With
    `after`, oldest first, it is always there: pass it as `after` for what comes later.
    """

    entries: list[AuditEntryShape]
    next: Maybe[str] = None


async def _admins_only(_admin: AdminDep) -> None:
    """Refuse everyone else, before anything is read."""


router = APIRouter(tags=["audit"], dependencies=[Depends(_admins_only)], responses=problems(403, 404, 422))

MOST = 1000
"""The most entries in one page."""

MAX_WAIT = 600
"""The longest long poll, in seconds."""

LOOK = 1.0
"""Seconds between two looks for new entries: other processes write some as well."""

LAST = 2**31 - 1
"""The largest id of an entry."""

_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One entry per line, oldest first, as in `entries` of /audit.",
        "content": {JsonLines.media_type: {"schema": {"type": "string"}}},
    }
}


async def _wanted(
    *,
    user_id: Annotated[str, Query(max_length=255, description="The user who did it, or to whom it was done.")] = "",
    action: Annotated[list[AuditAction] | None, Query(max_length=100, description="Repeatable.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="The earliest moment, with its time zone.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="The moment before which the entries are.")] = None,
) -> AuditFilter:
    _check_moments({"since": since, "until": until})
    return AuditFilter(user_id=user_id, actions=tuple(action or ()), since=since, until=until)


def _check_moments(moments: dict[str, datetime | None]) -> None:
    for name, each in moments.items():
        # The first and last of years can be those of another one in UTC, which no database has.
        if each is not None and not 1 < each.year < 9999:
            message = _("“{text}” is not a date. Use YYYY-MM-DD.").format(text=each.isoformat())
            raise InvalidInputError(message, {name: message})


Wanted = Annotated[AuditFilter, Depends(_wanted)]
After = Annotated[int | None, Query(ge=0, le=LAST, description="The `next` of the previous page; 0 for all entries.")]


@router.get("/audit")
async def list_audit(
    services: ServicesDep,
    wanted: Wanted,
    client: StreamClientDep,
    place: PlaceDep,
    *,
    before: Annotated[int | None, Query(ge=1, le=LAST, description="The `next` of the previous page.")] = None,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 200,
    wait: Annotated[float, Query(ge=0, le=MAX_WAIT, allow_inf_nan=False)] = 0,
) -> AuditShape:
    """List entries of the audit trail: newest first, or with `after` oldest first.

    With `after` and `wait`, long-poll until there is an entry or the time is up. A reader that goes on with each `next`
    misses none, and gets none twice.
    """
    if after is None:
        if wait:
            message = _("Only entries after another one can be waited for. Pass `after` as well.")
            raise InvalidInputError(message, {"wait": message})
        page = await services.store.audit.page(wanted, before=before, limit=limit)
        return _shape(page, with_next=page.is_more)
    if before is not None:
        message = _("Pass `before` for older entries, or `after` for newer ones.")
        raise InvalidInputError(message, {"before": message})
    page = await services.store.audit.since(wanted, after, limit=limit)
    if wait and not page.entries:
        async with place.aside():
            page = await client.unless_signed_out(_newer(services, wanted, page, limit, monotonic() + wait))
    return _shape(page, with_next=True)


async def _newer(services: Services, wanted: AuditFilter, page: AuditPage, limit: int, until: float) -> AuditPage:
    while not page.entries and (left := until - monotonic()) > 0:
        await sleep(min(LOOK, left))
        page = await services.store.audit.since(wanted, page.last, limit=limit)
    return page


@router.get("/audit.jsonl", response_class=JsonLines, responses=_LINES)
async def export_audit(services: ServicesDep, wanted: Wanted, after: After = None) -> JsonLines:
    """Export all matching entries as JSON Lines, oldest first."""
    await services.store.audit.add(AuditAction.AUDIT_EXPORTED)
    headers = {"Content-Disposition": 'attachment; filename="audit.jsonl"'}
    return JsonLines(_lines(services, wanted, after or 0), headers=headers)


async def _lines(services: Services, wanted: AuditFilter, after: int) -> AsyncIterator[str]:
    async for page in services.store.audit.all_since(wanted, after):
        for entry in page.entries:
            yield dumps(entry_shape(entry).as_json()) + "\n"


def _shape(page: AuditPage, *, with_next: bool) -> AuditShape:
    entries = [entry_shape(entry) for entry in page.entries]
    return AuditShape(entries=entries, next=str(page.last) if with_next else None)


def entry_shape(entry: AuditEntry) -> AuditEntryShape:
    """Return the API's JSON of an entry."""
    return AuditEntryShape.of(entry, id=str(entry.id), user=entry.user and _user(entry.user))


def _user(user: Person) -> AuditedUserShape:
    return AuditedUserShape.of(user, subject="" if user.subject.startswith(NO_SUBJECT) else user.subject)
