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
    http_request: Request, services: ServicesDep, principal: PrincipalDep, settled: str | None = None
) -> HTMLResponse:
    """Show what waits for the person, and on top of it what they just settled."""
    page_context = await read_page_context(services, principal.user_id)
    open_requests = await services.store.of(principal.user_id).requests.oldest_open(CARDS_SHOWN)
    just_settled = await _just_settled(services, principal.user_id, settled)
    return await render_in_steps(
        http_request,
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
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> HTMLResponse:
    """Show one input request on a page of its own."""
    request = await services.store.of(principal.user_id).requests.get(request_id)
    [card] = await drafts.cards_of(services, principal.user_id, [request])
    return await _page(http_request, services, card)


@router.post("/requests/{request_id}")
async def answer_request(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Answer a question. What was typed is kept if it does not fit; whoever comes too late is told what happened."""
    posted = await read_posted_form(http_request, services)
    request = await services.store.of(principal.user_id).requests.get(request_id)
    if wanted := first(posted, json_toggle.CONTROL):
        return await _switched(http_request, services, request, posted, to=wanted)
    action = _action(first(posted, "action"))
    accepts = action is Action.ACCEPT and request.pending
    parsed = await read_posted(request, posted) if accepts else None
    try:
        checked = await (check_parsed(request, parsed) if parsed else check_answer(request, action))
        if parsed and (stopped := await _stopped(request, parsed, posted)):
            kept = await drafts.save(services, request, posted)
            return await _card(http_request, services, replace(stopped, draft=kept), status=422)
        settled = await services.inbox.answer(checked, via=Via.PAGE)
    except InvalidAnswerError as wrong:
        kept = await drafts.save(services, request, posted)
        card = _as_typed(request, parsed, posted, wrong.errors)
        return await _card(http_request, services, replace(card, draft=kept), status=422)
    except AlreadySettledError as late:
        return await _late(http_request, services, late)
    except StorageError as failed:
        return await _not_stored(http_request, services, _as_typed(request, parsed, posted), failed)
    return await _settled(http_request, services, settled)


@router.post("/requests/{request_id}/preview")
async def preview_answer(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Show exactly what would be sent as the form stands, without sending it."""
    posted = await read_posted_form(http_request, services)
    request = await services.store.of(principal.user_id).requests.get(request_id)
    parsed = await read_posted(request, posted) if cards.takes_form(request) else None
    if parsed is None:
        return await _card(http_request, services, cards.untouched(request), status=409)
    card = _as_typed(request, parsed, posted)
    if is_htmx(http_request):
        return render(http_request, "requests/_preview.html", card=card)
    kept = await drafts.save(services, request, posted)
    return await _page(http_request, services, replace(card, draft=kept, previewed=True))


@router.post("/requests/{request_id}/more-time")
async def give_more_time(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Put the deadline of a question off; what was typed is kept, and stays."""
    posted = await read_posted_form(http_request, services)
    try:
        extended = await services.inbox.more_time(principal.user_id, request_id)
    except AlreadySettledError as late:
        return await _late(http_request, services, late)
    await drafts.save(services, extended, posted)
    if is_htmx(http_request):
        return render(http_request, "stream/_deadline.html", headers=NO_SWAP, card=cards.untouched(extended))
    return RedirectResponse(f"/#request-{request_id}", status_code=303)


@router.post("/requests/{request_id}/finished")
async def finish_request(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Note that the person is done at the address which a url request sent them to."""
    return await _settled(
        http_request, services, await services.inbox.links.finished(principal.user_id, request_id, via=Via.PAGE)
    )


@router.post("/requests/{request_id}/give-up")
async def give_up_request(
    http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Note that the person no longer waits for what comes of a link that they opened."""
    return await _settled(
        http_request, services, await services.inbox.links.give_up(principal.user_id, request_id, via=Via.PAGE)
    )


@router.post("/requests/{request_id}/stop-call")
async def stop_call(http_request: Request, request_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Cancel the call during which the question was asked, and the question with it; what was typed is kept."""
    posted = await read_posted_form(http_request, services)
    request = await services.store.of(principal.user_id).requests.get(request_id)
    await drafts.save(services, request, posted)
    await services.calls.cancel(await services.store.of(principal.user_id).calls.get(request.call_id or ""))
    return await _settled(http_request, services, await services.store.of(principal.user_id).requests.get(request_id))


async def _switched(
    http_request: Request, services: Services, request: InputRequest, posted: Posted, *, to: str
) -> HTMLResponse:
    parsed = await read_posted(request, posted) if cards.takes_form(request) else None
    if parsed is None:
        return await _card(http_request, services, cards.untouched(request), status=409)
    confirmed = bool(first(posted, cards.CONFIRMED))
    long = cards.is_long(request)
    card = await run_schema_work(json_toggle.switch, request, parsed, to=to, confirmed=confirmed, long=long)
    kept = await drafts.save(services, request, cards.as_posted(card))
    return await _card(http_request, services, replace(card, draft=kept), status=422 if card.errors else 200)


async def _stopped(request: InputRequest, parsed: Parsed, posted: Posted) -> Card | None:
    """Return the card that asks first whether what looks like a credential is meant; None if it may be sent."""
    if first(posted, cards.CONFIRMED):
        return None
    return await run_schema_work(cards.stopped, request, parsed, long=cards.is_long(request))


async def _not_stored(http_request: Request, services: Services, card: Card, failed: StorageError) -> HTMLResponse:
    message = _(
        "Your answer was not stored, so it was not sent: {why}. What you typed is still here. Free some space and send "
        "it again."
    ).format(why=failed.why)
    if is_htmx(http_request):
        # The card that is there is best left alone; the sentence goes to the top of the page.
        raise StorageError(message, failed.why)
    return await _card(http_request, services, replace(card, errors={"": message}), status=failed.status)


def _action(text: str) -> Action:
    try:
        return Action(text)
    except ValueError:
        message = _("The answer must be accept, decline or cancel; it was “{text}”.").format(text=text)
        raise InvalidInputError(message, {"action": message}) from None


def _as_typed(
    request: InputRequest, parsed: Parsed | None, posted: Posted, errors: Mapping[str, str] | None = None
) -> Card:
    if parsed is None:
        return replace(cards.untouched(request), errors=errors or {})
    return cards.filled(request, parsed, errors, confirmed=bool(first(posted, cards.CONFIRMED)))


async def _settled(http_request: Request, services: Services, request: InputRequest) -> Response:
    if is_htmx(http_request):
        return await _card(http_request, services, cards.untouched(request))
    if request.state is RequestState.WAITING:
        return link_redirect.hop(http_request, request)
    return RedirectResponse(f"/?settled={request.id}#outcome-{request.id}", status_code=303)


async def _late(http_request: Request, services: Services, late: AlreadySettledError) -> HTMLResponse:
    return await _card(http_request, services, replace(cards.untouched(late.request), notice=str(late)), status=409)


async def _card(http_request: Request, services: Services, card: Card, *, status: int = 200) -> HTMLResponse:
    [card] = await drafts.asked_before(services, card.request.user_id, [card])
    if is_htmx(http_request):
        return render(http_request, "requests/_card.html", status=status, card=card)
    return await _page(http_request, services, card, status=status)


async def _page(http_request: Request, services: Services, card: Card, *, status: int = 200) -> HTMLResponse:
    page_context = await read_page_context(services, card.request.user_id)
    return render(http_request, "requests/page.html", status=status, page_context=page_context, card=card)


async def _just_settled(services: Services, user_id: str, request_id: str | None) -> list[InputRequest]:
    try:
        found = await services.store.of(user_id).requests.get(request_id or "")
    except NotFoundError:
        return []
    return [] if found.state in (RequestState.PENDING, RequestState.WAITING) else [found]
