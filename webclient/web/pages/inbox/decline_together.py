"""Declines several questions together, after a page has listed them, and undoes that within a few seconds."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext, sentences
from webclient.domain.model import ListedRequest, now
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, Undo, redirect, render
from webclient.web.pages.confirmation import CONFIRMED
from webclient.web.pages.inbox.too_soon import is_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

router = APIRouter(include_in_schema=False)

SELECTED = "request"
"""The control of a row's checkbox."""


@router.post("/requests/decline")
async def decline_selected(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Decline the selected questions, or list them first."""
    chosen = await _pending(services, principal.user_id, posted)
    if chosen and first(posted, CONFIRMED) and not is_too_soon(posted):
        declined = await services.decisions.decline_together(principal.user_id, chosen)
        n = len(declined)
        sentence = ngettext("Declined {n} question.", "Declined {n} questions.", n).format(n=n)
        return redirect("/", sentence, undo=undo_of(declined))
    page_context = await read_page_context(services, principal.user_id)
    return render(http_request, "requests/decline.html", page_context=page_context, chosen=chosen)


@router.post("/requests/undo")
async def undo_together(services: ServicesDep, principal: PrincipalDep, posted: PostedDep) -> Response:
    """Undo declining these questions, as far as that was not sent yet."""
    ids = _selected(posted)
    if not ids:
        return redirect("/", _("Nothing selected"))
    n = len(await services.decisions.undo_together(principal.user_id, ids))
    late = len(ids) - n
    back = ngettext("{n} question is waiting again.", "{n} questions are waiting again.", n).format(n=n)
    ended = ngettext("{n} question had ended before.", "{n} questions had ended before.", late).format(n=late)
    return redirect("/", sentences([*([back] if n else []), *([ended] if late else [])]))


def undo_of(declined: Sequence[ListedRequest]) -> Undo | None:
    """Return the button that undoes what is not sent yet; None if all is."""
    ends = [each.undo_until for each in declined if each.undoable and each.undo_until]
    if not ends:
        return None
    seconds = max(1, ceil((min(ends) - now()).total_seconds()))
    fields = [(SELECTED, each.id) for each in declined if each.undoable]
    return Undo(action="/requests/undo", button=_("Undo"), fields=fields, seconds=seconds)


async def _pending(services: Services, user_id: str, posted: Posted) -> list[ListedRequest]:
    ids = _selected(posted)
    found = await services.store.of(user_id).request_lists.by_ids(ids) if ids else {}
    return [found[id_] for id_ in ids if id_ in found and found[id_].pending and not found[id_].undoable]


def _selected(posted: Posted) -> list[str]:
    return list(dict.fromkeys(value for name, value in posted if name == SELECTED))
