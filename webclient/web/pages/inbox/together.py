"""Answers several questions together, after a page has listed them; declining them can be undone for some seconds."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.approvals import APPROVAL, Verb
from webclient.domain.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext, sentences
from webclient.domain.model import AnyRequest, InputRequest, ListedRequest, RequestState, Via, now
from webclient.inbox import allowed, check_parsed, read_posted
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, Undo, redirect, render
from webclient.web.pages.confirmation import CONFIRMED
from webclient.web.pages.inbox import cards
from webclient.web.pages.inbox.too_soon import is_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

router = APIRouter(include_in_schema=False)

SELECTED = "request"
"""The control of a row's checkbox."""

FENCE = "fence"
"""The control with the id of a listed question and the digest of what was shown of it."""

LONGEST = 1_000
"""The most characters of a message that the page lists, all of which it shows."""

Listed = tuple[ListedRequest, str, str]
"""A question to approve, its whole message, and its fence."""


@router.post("/requests/decline")
async def decline_selected(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Decline the selected questions, or list them first; those whose program takes no rejection are left."""
    chosen, left = await _that_take_no(services, principal.user_id, await _pending(services, principal.user_id, posted))
    if chosen and first(posted, CONFIRMED) and not is_too_soon(posted):
        declined = await services.decisions.decline_together(principal.user_id, chosen)
        return redirect("/", _declined(len(declined), len(left)), undo=undo_of(declined))
    page_context = await read_page_context(services, principal.user_id)
    return render(http_request, "requests/decline.html", page_context=page_context, chosen=chosen, left=left)


@router.post("/requests/approve")
async def approve_selected(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Approve the selected questions that have nothing to fill in, or list them first."""
    rows = await _pending(services, principal.user_id, posted)
    chosen = await _plain(services, principal.user_id, rows)
    if not first(posted, CONFIRMED) or is_too_soon(posted):
        left = [row for row in rows if row.id not in {each.id for each in chosen}]
        return await _list_to_approve(http_request, services, principal.user_id, _listed(rows, chosen), left=left)
    shown = {value for name, value in posted if name == FENCE}
    approved = [each.id for each in chosen if fence_of(each) in shown and await _approve(services, each)]
    others = await _others(services, principal.user_id, posted, approved)
    # The same form was sent before, such as by the first of two clicks.
    before = [row for row in others if row.state is RequestState.ACCEPTED]
    left = [row for row in others if row not in before]
    if left or (not others and not approved):
        n = len(approved) + len(before)
        return await _list_to_approve(http_request, services, principal.user_id, [], left=left, approved=n)
    return redirect("/", _said(len(approved), len(before)))


@router.post("/requests/send")
async def send_approvals(services: ServicesDep, principal: PrincipalDep) -> Response:
    """Send the approvals that can still be undone: the person goes on to another question."""
    await services.decisions.send_approvals(principal.user_id)
    return Response(status_code=204)


@router.post("/requests/undo")
async def undo_together(services: ServicesDep, principal: PrincipalDep, posted: PostedDep) -> Response:
    """Undo the decisions on these questions, as far as they were not sent yet."""
    ids = _selected(posted)
    if not ids:
        return redirect("/", _("Nothing selected"))
    n = len(await services.decisions.undo_together(principal.user_id, ids))
    late = len(ids) - n
    back = ngettext("{n} question is waiting again.", "{n} questions are waiting again.", n).format(n=n)
    ended = ngettext("{n} question had ended before.", "{n} questions had ended before.", late).format(n=late)
    return redirect("/", sentences([*([back] if n else []), *([ended] if late else [])]))


def undo_of(decided: Sequence[AnyRequest]) -> Undo | None:
    """Return the button that undoes what is not sent yet; None if all is."""
    ends = [each.undo_until for each in decided if each.undoable and each.undo_until]
    if not ends:
        return None
    seconds = max(1, ceil((min(ends) - now()).total_seconds()))
    fields = [(SELECTED, each.id) for each in decided if each.undoable]
    return Undo(action="/requests/undo", button=_("Undo"), fields=fields, seconds=seconds)


def fence_of(request: InputRequest) -> str:
    """Return what an approval names: the question, and what the person has read of it."""
    return f"{request.id} {request.digest}"


def _listed(rows: Sequence[ListedRequest], chosen: Sequence[InputRequest]) -> list[Listed]:
    by_id = {row.id: row for row in rows}
    return [(by_id[each.id], each.words, fence_of(each)) for each in chosen]


async def _that_take_no(
    services: Services, user_id: str, rows: Sequence[ListedRequest]
) -> tuple[list[ListedRequest], list[ListedRequest]]:
    """Return the rows that can be declined, and the approvals whose asker takes no rejection."""
    ids = [row.id for row in rows if row.kind == APPROVAL]
    found = await services.store.of(user_id).requests.by_ids(ids) if ids else {}
    left = {each.id for each in found.values() if Verb.REJECT not in allowed(each)}
    return [row for row in rows if row.id not in left], [row for row in rows if row.id in left]


async def _plain(services: Services, user_id: str, rows: Sequence[ListedRequest]) -> list[InputRequest]:
    """Return those of the rows that ask for a yes and nothing else, as they are now."""
    ids = [row.id for row in rows if _may_be_approved(row)]
    # One that was deleted since it was listed is missing.
    found = await services.store.of(user_id).requests.by_ids(ids) if ids else {}
    return [found[each] for each in ids if each in found and _is_plain(found[each])]


def _may_be_approved(row: ListedRequest) -> bool:
    return row.parts == 0 and row.alarm is None


def _is_plain(request: InputRequest) -> bool:
    """Return whether its message is all that it says, and a yes all that it asks for."""
    if not cards.takes_form(request) or cards.is_long(request) or len(request.words) > LONGEST:
        return False
    if request.kind == APPROVAL:
        # A tool without arguments runs all the same, and its card shows what it is.
        return False
    card = cards.untouched(request)
    return isinstance(card, cards.PendingCard) and card.is_empty and not card.suggests_no


async def _approve(services: Services, request: InputRequest) -> bool:
    """Send the same answer as the button of its card; False if it can no longer be approved."""
    try:
        newest = await services.store.of(request.user_id).requests.get(request.id)
        parsed = await read_posted(newest, [])
        if parsed is None or fence_of(newest) != fence_of(request) or newest.undoable:
            return False
        await services.inbox.answer(await check_parsed(newest, parsed), via=Via.PAGE)
    except (AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError):
        return False
    return True


def _said(now_approved: int, before: int) -> str:
    said = ngettext("Approved {n} question.", "Approved {n} questions.", now_approved).format(n=now_approved)
    already = ngettext("{n} question was already approved.", "{n} questions were already approved.", before)
    return sentences([*([said] if now_approved else []), *([already.format(n=before)] if before else [])])


def _declined(n: int, left: int) -> str:
    said = ngettext("Declined {n} question.", "Declined {n} questions.", n).format(n=n)
    waits = ngettext("{n} question takes no Decline.", "{n} questions take no Decline.", left).format(n=left)
    return sentences([said, *([waits] if left else [])])


async def _others(services: Services, user_id: str, posted: Posted, approved: Sequence[str]) -> list[ListedRequest]:
    ids = [each for each in _selected(posted) if each not in approved]
    found = await services.store.of(user_id).request_lists.by_ids(ids) if ids else {}
    return list(found.values())


async def _list_to_approve(
    http_request: Request,
    services: Services,
    user_id: str,
    chosen: Sequence[Listed],
    *,
    left: Sequence[ListedRequest],
    approved: int | None = None,
) -> Response:
    context = await read_page_context(services, user_id)
    return render(
        http_request, "requests/approve.html", page_context=context, chosen=chosen, left=left, approved=approved
    )


async def _pending(services: Services, user_id: str, posted: Posted) -> list[ListedRequest]:
    ids = _selected(posted)
    found = await services.store.of(user_id).request_lists.by_ids(ids) if ids else {}
    return [found[id_] for id_ in ids if id_ in found and found[id_].pending and not found[id_].undoable]


def _selected(posted: Posted) -> list[str]:
    return list(dict.fromkeys(value for name, value in posted if name == SELECTED))
