"""Proposed calls that are alike, on one page: approved or declined together, or each opened alone.

The page shows every argument of each call, and its form names each call with the digest of what was shown. A call that
came later, or that is not alike any more, is not among them.
"""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.errors import (
    AlreadySettledError,
    ConflictError,
    InvalidAnswerError,
    InvalidInputError,
    NotFoundError,
)
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext, sentences
from webclient.domain.model import Action, InputRequest
from webclient.inbox import CheckedAnswer, check_answer
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.inbox import cards
from webclient.web.pages.inbox.alike_calls import MOST, AlikeView, read_alike, read_rows, read_whole
from webclient.web.pages.inbox.proposals import WITH_MESSAGE
from webclient.web.pages.inbox.together import FENCE, fence_of, undo_of
from webclient.web.pages.inbox.too_soon import is_too_soon
from webclient.web.pages.page_context import PageContext, read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

router = APIRouter(include_in_schema=False)


@router.get("/requests/alike")
async def show_alike(http_request: Request, services: ServicesDep, principal: PrincipalDep, key: str = "") -> Response:
    """Show the calls that are alike, whole; go to the inbox if fewer than two wait."""
    # Read first: what changes after it comes with the stream.
    context = await read_page_context(services, principal.user_id)
    view = await read_alike(services, principal.user_id, key)
    if view is None:
        return redirect("/", _("These calls are not waiting any more, or only one of them is."))
    return _page(http_request, context, view)


@router.post("/requests/alike")
async def decide_alike(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Approve or decline the calls that the page has shown and that still wait."""
    user_id, key = principal.user_id, first(posted, "key")
    with_message = bool(first(posted, WITH_MESSAGE))
    action = Action.DECLINE if with_message else _action(first(posted, "action"))
    message = first(posted, cards.DECLINE_MESSAGE) if with_message else ""
    if is_too_soon(posted):
        return redirect(f"/requests/alike?{urlencode({'key': key})}", _("Not sent: this page has just appeared."))
    shown = {value for name, value in posted if name == FENCE}
    named = {each.partition(" ")[0] for each in shown}
    rows = [row for row in await read_rows(services, user_id, key) if row.id in named]
    waiting = [each for each in await read_whole(services, user_id, rows[:MOST]) if fence_of(each) in shown]
    try:
        checked = [await check_answer(each, action, message=message or None) for each in waiting]
    except InvalidAnswerError as wrong:
        context = await read_page_context(services, user_id)
        view = await read_alike(services, user_id, key)
        if view is None:
            return redirect("/", str(wrong))
        return _page(http_request, context, view, posted=posted, wrong=str(wrong))
    decided = [each for answer in checked if (each := await _decided(services, answer))]
    return redirect("/", _said(action, len(decided), len(shown) - len(decided)), undo=undo_of(decided))


async def _decided(services: Services, answer: CheckedAnswer) -> InputRequest | None:
    """Send an answer when it can no longer be undone; None: the call has ended or changed."""
    try:
        return await services.decisions.decide(answer)
    except (AlreadySettledError, ConflictError, NotFoundError):
        return None


def _action(text: str) -> Action:
    if text not in (Action.ACCEPT, Action.DECLINE):
        message = _("The answer must be accept or decline.")
        raise InvalidInputError(message, {"action": message})
    return Action(text)


def _page(
    http_request: Request, context: PageContext, view: AlikeView, *, posted: Posted = (), wrong: str = ""
) -> Response:
    return render(
        http_request,
        "requests/alike.html",
        status=422 if wrong else 200,
        page_context=context,
        view=view,
        message=first(posted, cards.DECLINE_MESSAGE),
        wrong=wrong,
    )


def _said(action: Action, n: int, left: int) -> str:
    approved = ngettext("Approved {n} call.", "Approved {n} calls.", n).format(n=n)
    declined = ngettext("Declined {n} call.", "Declined {n} calls.", n).format(n=n)
    missed = ngettext("{n} call had changed or ended before.", "{n} calls had changed or ended before.", left)
    said = approved if action is Action.ACCEPT else declined
    return sentences([said, *([missed.format(n=left)] if left else [])])
