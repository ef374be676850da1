"""The inbox and the cards in it: see what is asked, answer it, see what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.errors import AlreadySettledError, InvalidAnswerError, InvalidInputError, NotFoundError
from webclient.forms import Parsed
from webclient.http import NO_SWAP, PrincipalDep, ServicesDep, is_htmx, render, render_in_steps
from webclient.i18n import gettext as _
from webclient.inbox import check_answer, check_parsed, read_posted
from webclient.model import Action, InputRequest, RequestState, Via
from webclient.pages import cards, drafts, json_toggle, link_redirect
from webclient.pages.cards import Card
from webclient.pages.page_context import read_page_context
from webclient.pages.posted_form import Posted, first, read_posted_form
from webclient.schema_thread import run_schema_work
from webclient.services import Services
from webclient.store import StorageError

router = APIRouter(include_in_schema=False)

CALLS_SHOWN = 8
"""How many of the newest calls stand beside the inbox."""

CARDS_SHOWN = 200
"""How many open questions the inbox shows, the oldest first; the others are counted, and move up."""


@router.get("/")
async def inbox(
    request: Request, services: ServicesDep, principal: PrincipalDep, settled: str | None = None
) -> HTMLResponse:
    """Show what waits for the person, and on top of it what they just settled."""
    page_context = await read_page_context(services, principal.user_id)
    open_requests = await services.store.of(principal.user_id).requests.oldest_open(CARDS_SHOWN)
    just_settled = await _just_settled(services, principal.user_id, settled)
    return await render_in_steps(
        request,
        "inbox.html",
        page_context=page_context,
        cards=await drafts.cards_of(services, principal.user_id, [*just_settled, *open_requests]),
        calls=await services.store.of(principal.user_id).calls.find(limit=CALLS_SHOWN),
        more=await count_more(services, principal.user_id),
        unsent=[each for each in await drafts.unsent(services, principal.user_id) if each not in just_settled],
    )


async def count_more(services: Services, user_id: str) -> int:
    """Return how many open questions wait behind those that the inbox shows."""
    return max(0, await services.store.of(user_id).requests.count_open() - CARDS_SHOWN)


@router.get("/requests/{request_id}")
async def show_request(
    request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> HTMLResponse:
    """Show one input request on a page of its own."""
    input_request = await services.store.of(principal.user_id).requests.get(request_id)
    [card] = await drafts.cards_of(services, principal.user_id, [input_request])
    return await _page(request, services, card)


@router.post("/requests/{request_id}")
async def answer_request(request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Answer a question. What was typed is kept if it does not fit; whoever comes too late is told what happened."""
    posted = await read_posted_form(request, services)
    input_request = await services.store.of(principal.user_id).requests.get(request_id)
    if wanted := first(posted, json_toggle.CONTROL):
        return await _switched(request, services, input_request, posted, to=wanted)
    action = _action(first(posted, "action"))
    accepts = action is Action.ACCEPT and input_request.pending
    parsed = await read_posted(input_request, posted) if accepts else None
    try:
        checked = await (check_parsed(input_request, parsed) if parsed else check_answer(input_request, action))
        if parsed and (stopped := await _stopped(input_request, parsed, posted)):
            kept = await drafts.keep(services, input_request, posted)
            return await _card(request, services, replace(stopped, draft=kept), status=422)
        settled = await services.inbox.answer(checked, via=Via.PAGE)
    except InvalidAnswerError as wrong:
        kept = await drafts.keep(services, input_request, posted)
        card = _as_typed(input_request, parsed, posted, wrong.errors)
        return await _card(request, services, replace(card, draft=kept), status=422)
    except AlreadySettledError as late:
        return await _late(request, services, late)
    except StorageError as failed:
        return await _not_stored(request, services, _as_typed(input_request, parsed, posted), failed)
    return await _settled(request, services, settled)


@router.post("/requests/{request_id}/preview")
async def preview_answer(request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Show exactly what would be sent as the form stands, without sending it."""
    posted = await read_posted_form(request, services)
    input_request = await services.store.of(principal.user_id).requests.get(request_id)
    parsed = await read_posted(input_request, posted) if cards.takes_form(input_request) else None
    if parsed is None:
        return await _card(request, services, cards.untouched(input_request), status=409)
    card = _as_typed(input_request, parsed, posted)
    if is_htmx(request):
        return render(request, "requests/preview.html", card=card)
    kept = await drafts.keep(services, input_request, posted)
    return await _page(request, services, replace(card, draft=kept, previewed=True))


@router.post("/requests/{request_id}/more-time")
async def give_more_time(request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Put the deadline of a question off; what was typed is kept, and stays."""
    posted = await read_posted_form(request, services)
    try:
        extended = await services.inbox.more_time(principal.user_id, request_id)
    except AlreadySettledError as late:
        return await _late(request, services, late)
    await drafts.keep(services, extended, posted)
    if is_htmx(request):
        return render(request, "stream/_deadline.html", headers=NO_SWAP, card=cards.untouched(extended))
    return RedirectResponse(f"/#request-{request_id}", status_code=303)


@router.post("/requests/{request_id}/finished")
async def finish_request(request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Note that the person is done at the address which a url request sent them to."""
    return await _settled(
        request, services, await services.inbox.links.finished(principal.user_id, request_id, via=Via.PAGE)
    )


@router.post("/requests/{request_id}/give-up")
async def give_up_request(
    request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Note that the person no longer waits for what comes of a link that they opened."""
    return await _settled(
        request, services, await services.inbox.links.give_up(principal.user_id, request_id, via=Via.PAGE)
    )


@router.post("/requests/{request_id}/stop-call")
async def stop_call(request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Cancel the call during which the question was asked, and the question with it; what was typed is kept."""
    posted = await read_posted_form(request, services)
    input_request = await services.store.of(principal.user_id).requests.get(request_id)
    await drafts.keep(services, input_request, posted)
    await services.calls.cancel(await services.store.of(principal.user_id).calls.get(input_request.call_id or ""))
    return await _settled(request, services, await services.store.of(principal.user_id).requests.get(request_id))


async def _switched(
    request: Request, services: Services, input_request: InputRequest, posted: Posted, *, to: str
) -> HTMLResponse:
    parsed = await read_posted(input_request, posted) if cards.takes_form(input_request) else None
    if parsed is None:
        return await _card(request, services, cards.untouched(input_request), status=409)
    confirmed = bool(first(posted, cards.CONFIRMED))
    long = cards.is_long(input_request)
    card = await run_schema_work(json_toggle.switch, input_request, parsed, to=to, confirmed=confirmed, long=long)
    kept = await drafts.keep(services, input_request, cards.as_posted(card))
    return await _card(request, services, replace(card, draft=kept), status=422 if card.errors else 200)


async def _stopped(input_request: InputRequest, parsed: Parsed, posted: Posted) -> Card | None:
    """Return the card that asks first whether what looks like a credential is meant; None if it may be sent."""
    if first(posted, cards.CONFIRMED):
        return None
    return await run_schema_work(cards.stopped, input_request, parsed, long=cards.is_long(input_request))


async def _not_stored(request: Request, services: Services, card: Card, failed: StorageError) -> HTMLResponse:
    message = _(
        "Your answer was not stored, so it was not sent: {why}. What you typed is still here. Free some space and send "
        "it again."
    ).format(why=failed.why)
    if is_htmx(request):
        # The card that is there is best left alone; the sentence goes to the top of the page.
        raise StorageError(message, failed.why)
    return await _card(request, services, replace(card, errors={"": message}), status=failed.status)


def _action(text: str) -> Action:
    try:
        return Action(text)
    except ValueError:
        message = _("The answer must be accept, decline or cancel; it was “{text}”.").format(text=text)
        raise InvalidInputError(message, {"action": message}) from None


def _as_typed(
    input_request: InputRequest, parsed: Parsed | None, posted: Posted, errors: Mapping[str, str] | None = None
) -> Card:
    if parsed is None:
        return replace(cards.untouched(input_request), errors=errors or {})
    return cards.filled(input_request, parsed, errors, confirmed=bool(first(posted, cards.CONFIRMED)))


async def _settled(request: Request, services: Services, input_request: InputRequest) -> Response:
    if is_htmx(request):
        return await _card(request, services, cards.untouched(input_request))
    if input_request.state is RequestState.WAITING:
        return link_redirect.hop(request, input_request)
    return RedirectResponse(f"/?settled={input_request.id}#outcome-{input_request.id}", status_code=303)


async def _late(request: Request, services: Services, late: AlreadySettledError) -> HTMLResponse:
    return await _card(request, services, replace(cards.untouched(late.request), notice=str(late)), status=409)


async def _card(request: Request, services: Services, card: Card, *, status: int = 200) -> HTMLResponse:
    [card] = await drafts.asked_before(services, card.input_request.user_id, [card])
    if is_htmx(request):
        return render(request, "requests/any.html", status=status, card=card)
    return await _page(request, services, card, status=status)


async def _page(request: Request, services: Services, card: Card, *, status: int = 200) -> HTMLResponse:
    page_context = await read_page_context(services, card.input_request.user_id)
    return render(request, "requests/page.html", status=status, page_context=page_context, card=card)


async def _just_settled(services: Services, user_id: str, request_id: str | None) -> list[InputRequest]:
    try:
        found = await services.store.of(user_id).requests.get(request_id or "")
    except NotFoundError:
        return []
    return [] if found.state in (RequestState.PENDING, RequestState.WAITING) else [found]
