"""Proposed calls that are alike, on one page: approved or declined together, or each opened alone.

The page shows every argument of each call, and its form names each call with the digest of what was shown. A call that
came later, or that is not alike any more, is not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.approvals import Verb, proposed
from webclient.domain.errors import (
    AlreadySettledError,
    ConflictError,
    InvalidAnswerError,
    InvalidInputError,
    NotFoundError,
)
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext, sentences
from webclient.domain.model import Action, InputRequest, ListedRequest, Via
from webclient.inbox import check_answer
from webclient.services import Services
from webclient.support.standard_json import json_equal
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render, shows_whole
from webclient.web.pages.inbox import cards, drafts
from webclient.web.pages.inbox.differences import Difference, What
from webclient.web.pages.inbox.inbox_entries import alike_of
from webclient.web.pages.inbox.proposals import WITH_MESSAGE, Proposal, proposal_of
from webclient.web.pages.inbox.together import FENCE, fence_of
from webclient.web.pages.inbox.too_soon import is_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

router = APIRouter(include_in_schema=False)

MOST = 100
"""Calls on one page; the others come when these are decided."""

_HARMFUL = {What.HOST, What.AMOUNT, What.PATH, What.ENTRIES, What.NEW, What.LEFT_OUT}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeCall:
    """One of the calls: what is `its` own among the arguments, and what differs from the last approved one."""

    request: InputRequest
    own: Mapping[str, Any]
    differences: Sequence[Difference]

    @property
    def fence(self) -> str:
        """What a decision names: the call, and the digest of what was shown of it."""
        return fence_of(self.request)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeView:
    """Calls that are alike under this `key`, with the arguments that are `common` to all; `more` wait besides."""

    key: str
    proposal: Proposal
    common: Mapping[str, Any]
    calls: Sequence[AlikeCall]
    more: int = 0

    @property
    def first(self) -> InputRequest:
        """The oldest call."""
        return self.calls[0].request

    @property
    def may_approve(self) -> bool:
        """Whether its asker takes an approval."""
        return Verb.APPROVE in self.proposal.verbs

    @property
    def may_decline(self) -> bool:
        """Whether its asker takes a rejection."""
        return Verb.REJECT in self.proposal.verbs


@router.get("/requests/alike")
async def show_alike(http_request: Request, services: ServicesDep, principal: PrincipalDep, key: str = "") -> Response:
    """Show the calls that are alike, whole; go to the inbox if fewer than two wait."""
    view = await _read(services, principal.user_id, key)
    if view is None:
        return redirect("/", _("These calls are not waiting any more, or only one of them is."))
    return await _page(http_request, services, principal.user_id, view)


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
    rows = [row for row in await _rows(services, user_id, key) if row.id in named]
    waiting = [each for each in await _whole(services, user_id, rows[:MOST]) if fence_of(each) in shown]
    try:
        checked = [await check_answer(each, action, message=message or None) for each in waiting]
    except InvalidAnswerError as wrong:
        view = await _read(services, user_id, key)
        if view is None:
            return redirect("/", str(wrong))
        return await _page(http_request, services, user_id, view, posted=posted, wrong=str(wrong))
    decided = 0
    for answer in checked:
        try:
            await services.inbox.answer(answer, via=Via.PAGE)
            decided += 1
        except (AlreadySettledError, ConflictError, NotFoundError):
            continue
    return redirect("/", _said(action, decided, len(shown) - decided))


def _action(text: str) -> Action:
    if text not in (Action.ACCEPT, Action.DECLINE):
        message = _("The answer must be accept or decline.")
        raise InvalidInputError(message, {"action": message})
    return Action(text)


def shown_whole(requests: Sequence[InputRequest]) -> list[InputRequest]:
    """Return the calls of which the page shows every argument at once."""
    return [each for each in requests if shows_whole(proposed(each)[1]) and not each.withheld]


async def _rows(services: Services, user_id: str, key: str) -> list[ListedRequest]:
    """Return the calls that wait under this key, oldest first."""
    return [each for each in await services.store.of(user_id).inbox.alike([key]) if key and alike_of(each) == key]


async def _whole(services: Services, user_id: str, rows: Sequence[ListedRequest]) -> list[InputRequest]:
    """Read these calls, and return those that a page shows whole. A tool may be large, so these are few."""
    found = await services.store.of(user_id).requests.by_ids([each.id for each in rows]) if rows else {}
    return shown_whole([found[each.id] for each in rows if each.id in found])


async def _read(services: Services, user_id: str, key: str) -> AlikeView | None:
    rows = await _rows(services, user_id, key)
    listed = await _whole(services, user_id, rows[:MOST])
    if len(listed) < 2:
        return None
    proposal = proposal_of(listed[0])
    if proposal is None:
        return None
    arguments = [proposed(each)[1] for each in listed]
    common = {
        name: value
        for name, value in arguments[0].items()
        if all(name in each and json_equal(each[name], value) for each in arguments)
    }
    found = await drafts.cards_of(services, user_id, listed)
    calls = [
        AlikeCall(
            request=card.request,
            own={name: value for name, value in proposed(card.request)[1].items() if name not in common},
            differences=_differences(card),
        )
        for card in found
    ]
    return AlikeView(key=key, proposal=proposal, common=common, calls=calls, more=max(0, len(rows) - MOST))


def _differences(card: cards.Card) -> list[Difference]:
    compared = card.compared if isinstance(card, cards.PendingCard) else None
    return [each for each in compared.arguments if each.what in _HARMFUL] if compared else []


async def _page(
    http_request: Request,
    services: Services,
    user_id: str,
    view: AlikeView,
    *,
    posted: Posted = (),
    wrong: str = "",
) -> Response:
    context = await read_page_context(services, user_id)
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
