"""The inbox and its cards: show, answer, preview, extend, and finish a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from webclient.content.forms import Parsed
from webclient.domain.errors import AlreadySettledError, InvalidAnswerError, InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Action, InputRequest, ListedRequest, Reason, ReasonCode, RequestState, Via
from webclient.domain.reasons import sentence
from webclient.inbox import RESPOND, read_posted
from webclient.services import Services
from webclient.store import StorageError
from webclient.support.schema_thread import run_schema_work
from webclient.web.http import (
    NO_SWAP,
    SUGGEST,
    TARGET,
    PrincipalDep,
    RequestDep,
    ServicesDep,
    advance_cookie,
    advance_of,
    at_address,
    is_htmx,
    render,
    render_in_steps,
    shown_path,
    time_zone,
)
from webclient.web.pages.guide.progress import address_after
from webclient.web.pages.inbox import cards, drafts, interstitials, json_toggle, typed_cards
from webclient.web.pages.inbox.card_context import filled_in, read_context
from webclient.web.pages.inbox.cards import Card, OutcomeCard, PendingCard
from webclient.web.pages.inbox.inbox_entries import InboxView, count_recent, next_after, read_inbox, suffix_of
from webclient.web.pages.inbox.permissions import allow
from webclient.web.pages.inbox.proposals import ALLOW, action_of_button
from webclient.web.pages.inbox.rule_suggestions import with_suggestion
from webclient.web.pages.inbox.sending import check_posted_answer, send_answer
from webclient.web.pages.inbox.sign_in_cards import SignInCard, sign_in_entries
from webclient.web.pages.inbox.together import SELECTED
from webclient.web.pages.inbox.too_soon import refuse_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first, say_what_is_wrong
from webclient.web.pages.sampling.cards import is_sampling, typed_card

router = APIRouter(include_in_schema=False)


@router.get("/")
async def inbox(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, server: str = ""
) -> HTMLResponse:
    """Show the questions, or those of one `server`, and the first beside them; for a script, the first alone."""
    if is_htmx(http_request):
        page_context = await read_page_context(services, principal.user_id)
        if entries := sign_in_entries((row.sign_in for row in page_context.servers), server):
            return render(http_request, "sign_ins/_detail.html", sign_in_card=entries[0].card)
        view = await read_inbox(services, principal.user_id, server)
        card = await _first_card(services, view)
        context = await read_context(services, card)
        return render(http_request, "requests/_detail.html", card=card, last=None, context=context, suffix=view.suffix)
    return await show_inbox(http_request, services, principal.user_id, server=server)


@router.get("/requests/{request_id}")
async def show_request(
    http_request: Request,
    services: ServicesDep,
    request: RequestDep,
    *,
    server: str = "",
    after: str = "",
    fill: str = "",
) -> Response:
    """Show one question beside the list; in a narrow window, without it.

    `after` is the id of the question that was answered before, if this one opens by itself. With `fill`, the form is
    filled in with the answer to that earlier question; a script gets the card alone.
    """
    if fill and request.pending:
        return await show_card(http_request, services, await filled_in(services, request, fill), server=server)
    [card] = await drafts.cards_of(services, request.user_id, [request])
    last = await _answered(services, request.user_id, after)
    if not is_htmx(http_request):
        return await show_inbox(http_request, services, request.user_id, server=server, card=card, last=last)
    return await _detail(http_request, services, card, last, suffix_of(server))


@router.get("/requests/{request_id}/next")
async def show_next(services: ServicesDep, request: RequestDep, server: str = "") -> Response:
    """Go on to the next question, or to the inbox if none waits."""
    view = await read_inbox(services, request.user_id, server)
    following = next_after(request, view)
    return RedirectResponse((f"/requests/{following.id}" if following else "/") + view.suffix, status_code=303)


async def show_inbox(
    http_request: Request,
    services: Services,
    user_id: str,
    *,
    server: str = "",
    card: Card | None = None,
    last: Card | None = None,
    sign_in_card: SignInCard | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return the page with the list; beside it the `card` or sign-in that was opened, or the first of the list.

    `last` is the card of the answer after which this one has opened by itself.
    """
    page_context = await read_page_context(services, user_id)
    view = await read_inbox(services, user_id, server)
    if chosen := http_request.query_params.getlist(SELECTED):
        view = view.selecting(chosen, http_request.query_params.get("all", ""))
    sign_ins = sign_in_entries((row.sign_in for row in page_context.servers), server)
    opened = card is not None or sign_in_card is not None
    if not opened and sign_ins:
        sign_in_card = sign_ins[0].card
    card = card or (None if sign_in_card else await _first_card(services, view))
    return await render_in_steps(
        http_request,
        "inbox.html",
        status=status,
        page_context=page_context,
        view=view,
        sign_ins=sign_ins,
        sign_in_card=sign_in_card,
        card=card,
        last=last,
        context=await read_context(services, card),
        opened=opened,
        recent=await count_recent(
            services, user_id, time_zone(http_request), server, is_empty=not page_context.waiting
        ),
        unsent=await drafts.unsent(services, user_id),
    )


async def _detail(
    http_request: Request, services: Services, card: Card, last: Card | None, suffix: str
) -> HTMLResponse:
    headers = at_address(f"/requests/{card.request.id}{suffix}")
    context = await read_context(services, card)
    return render(
        http_request, "requests/_detail.html", headers=headers, card=card, last=last, context=context, suffix=suffix
    )


async def _answered(services: Services, user_id: str, request_id: str) -> Card | None:
    """Return the card of an answered question; None if there is none with this id, or it waits for an answer."""
    found = await services.store.of(user_id).requests.by_ids([request_id]) if request_id else {}
    answered = next((cards.untouched(each) for each in found.values() if each.undoable or not each.pending), None)
    return answered and await with_suggestion(services, answered)


async def _first_card(services: Services, view: InboxView) -> Card | None:
    first = view.first
    found = await services.store.of(first.user_id).requests.by_ids([first.id]) if first else {}
    return next(iter(await drafts.cards_of(services, first.user_id, list(found.values()))), None) if first else None


@router.post("/requests/{request_id}")
async def answer_request(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    posted: PostedDep,
    request: RequestDep,
    *,
    server: str = "",
    advance: str = "",
) -> Response:
    """Answer a request, and show its outcome; an invalid or late answer shows the card again, with a reason.

    With `advance`, a script shows the next question in its place, of the list that is filtered to `server`.
    """
    await services.decisions.send_approvals(principal.user_id, but=request.id)
    if wanted := first(posted, json_toggle.CONTROL):
        return await _switched(http_request, services, request, posted, to=wanted)
    action = _action(action_of_button(posted) or first(posted, "action"))
    accepts = action is Action.ACCEPT and request.pending
    parsed = await read_posted(request, posted) if accepts else None
    try:
        refuse_too_soon(request, posted)
        checked = await check_posted_answer(services, request, action, parsed, posted)
        if isinstance(checked, PendingCard):
            draft = await drafts.save(services, request, posted)
            card = replace(checked, draft=draft, decline_message=first(posted, cards.DECLINE_MESSAGE))
            return await show_card(http_request, services, card, status=422)
        # The agent of a chat waits for its answer, and the demo goes on with what happens next.
        is_awaited = principal.embedding is not None or address_after(http_request, request) is not None
        settled = await send_answer(services, checked, posted, can_wait=not is_awaited)
        await allow(services, settled, first(posted, ALLOW))
    except InvalidAnswerError as wrong:
        draft = await drafts.save(services, request, posted)
        card = _as_typed(request, parsed or await read_posted(request, posted), posted, wrong.errors)
        card = typed_cards.with_wrong_words(card, action, wrong)
        return await show_card(http_request, services, replace(card, draft=draft), status=422)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    except StorageError as failed:
        typed = parsed or await read_posted(request, posted)
        return await _not_stored(http_request, services, _as_typed(request, typed, posted), failed)
    following = None if is_awaited else await _following(http_request, services, settled, server, advance)
    return await _advanced(http_request, services, settled, following, suffix_of(server))


@router.post("/requests/{request_id}/preview")
async def preview_answer(
    http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep
) -> Response:
    """Show exactly the content that the form would send now."""
    parsed = await read_posted(request, posted) if cards.takes_form(request) else None
    if parsed is None:
        return await show_card(http_request, services, cards.untouched(request), status=409)
    card = _as_typed(request, parsed, posted)
    if is_htmx(http_request):
        return render(http_request, "requests/_preview.html", card=card)
    draft = await drafts.save(services, request, posted)
    card = replace(card, draft=draft, previewed=True)
    return await show_inbox(http_request, services, request.user_id, card=card)


@router.post("/requests/{request_id}/check")
async def check_answer_so_far(posted: PostedDep, request: RequestDep) -> JSONResponse:
    """Return the errors of the posted fields by the id of their control."""
    parsed = await read_posted(request, posted) if cards.takes_form(request) else None
    wrong = cards.form_of(request).wrong(parsed.errors, parsed.inside) if parsed else {}
    return say_what_is_wrong(request.id, wrong)


@router.post("/requests/{request_id}/more-time")
async def give_more_time(
    http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep
) -> Response:
    """Extend the deadline of a request, and save the typed text."""
    try:
        extended = await services.inbox.more_time(request.user_id, request.id)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    await drafts.save(services, extended, posted)
    if is_htmx(http_request):
        return render(http_request, "stream/_deadline.html", headers=NO_SWAP, card=cards.untouched(extended))
    return RedirectResponse(f"/requests/{request.id}", status_code=303)


@router.post("/requests/{request_id}/reopen")
async def reopen_request(http_request: Request, services: ServicesDep, request: RequestDep) -> Response:
    """Show the card again of a request whose answer is saved, filled in."""
    try:
        reopened = await services.inbox.reopen(request.user_id, request.id)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    [card] = await drafts.cards_of(services, request.user_id, [reopened])
    return await show_card(http_request, services, card)


@router.post("/requests/{request_id}/finished")
async def finish_request(http_request: Request, services: ServicesDep, request: RequestDep) -> Response:
    """Note that the person has finished at an opened link."""
    finished = await services.inbox.links.finished(request.user_id, request.id, via=Via.PAGE)
    return await _settled(http_request, services, finished)


@router.post("/requests/{request_id}/give-up")
async def give_up_request(http_request: Request, services: ServicesDep, request: RequestDep) -> Response:
    """Note that the person no longer waits for an opened link."""
    given_up = await services.inbox.links.give_up(request.user_id, request.id, via=Via.PAGE)
    return await _settled(http_request, services, given_up)


@router.post("/requests/{request_id}/stop-call")
async def stop_call(http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep) -> Response:
    """Cancel the call of a request and with it the request; save the typed text."""
    await drafts.save(services, request, posted)
    store = services.store.of(request.user_id)
    await services.calls.cancel(await store.calls.get(request.call_id or ""))
    return await _settled(http_request, services, await store.requests.get(request.id))


@router.post("/requests/{request_id}/undo")
async def undo_decision(
    http_request: Request, services: ServicesDep, request: RequestDep, *, pane: bool = False
) -> Response:
    """Undo an answer, and show the card with its typed text; with `pane`, in the place of another question."""
    try:
        undone, posted = await services.decisions.undo(request)
    except AlreadySettledError as late:
        if pane:
            return await _detail(http_request, services, cards.untouched(late.request), None, "")
        return await show_late(http_request, services, late)
    card: Card
    if posted is None:
        [card] = await drafts.cards_of(services, request.user_id, [undone])
    else:
        draft = await drafts.save(services, undone, posted)
        card = replace(_as_typed(undone, await read_posted(undone, posted), posted), draft=draft)
    if pane:
        [card] = await drafts.add_history(services, request.user_id, [card])
        return await _detail(http_request, services, card, None, "")
    return await show_card(http_request, services, card)


async def _switched(
    http_request: Request, services: Services, request: InputRequest, posted: Posted, *, to: str
) -> HTMLResponse:
    parsed = await read_posted(request, posted) if cards.takes_form(request) else None
    if parsed is None:
        return await show_card(http_request, services, cards.untouched(request), status=409)
    confirmed = bool(first(posted, cards.CONFIRMED))
    long = cards.is_long(request)
    card = await run_schema_work(json_toggle.switch, request, parsed, to=to, confirmed=confirmed, long=long)
    message = first(posted, cards.DECLINE_MESSAGE)
    draft = await drafts.save(services, request, [*typed_cards.as_posted(card), (cards.DECLINE_MESSAGE, message)])
    card = replace(card, draft=draft, decline_message=message, response=first(posted, RESPOND))
    shown = await show_card(http_request, services, card, status=422 if card.errors else 200)
    if to not in (json_toggle.AS_JSON, json_toggle.AS_FORM):
        # The buttons within a form replace the form alone, elsewhere.
        shown.headers[TARGET] = f"#request-{request.id}"
    return shown


async def _not_stored(
    http_request: Request, services: Services, card: PendingCard, failed: StorageError
) -> HTMLResponse:
    reason = Reason.of(ReasonCode.ANSWER_NOT_STORED, reason=str(failed))
    if is_htmx(http_request):
        # The card stays as it is; the sentence goes to the top of the page.
        raise failed.said_as(reason)
    return await show_card(http_request, services, replace(card, errors={"": sentence(reason)}), status=failed.status)


def _action(text: str) -> Action:
    try:
        return Action(text)
    except ValueError:
        message = _("The answer must be accept, decline or cancel; it was “{text}”.").format(text=text)
        raise InvalidInputError(message, {"action": message}) from None


def _as_typed(
    request: InputRequest, parsed: Parsed | None, posted: Posted, errors: Mapping[str, str] | None = None
) -> PendingCard:
    """Return the card of a pending request with what was posted to it."""
    if is_sampling(request):
        return replace(typed_card(request, posted), errors=errors or {})
    if parsed is None:
        card = replace(cards.pending_card(request), errors=errors or {})
    else:
        card = typed_cards.filled(request, parsed, errors, confirmed=bool(first(posted, cards.CONFIRMED)))
    return replace(card, decline_message=first(posted, cards.DECLINE_MESSAGE), response=first(posted, RESPOND))


async def _settled(http_request: Request, services: Services, request: InputRequest) -> Response:
    if is_htmx(http_request):
        # The line of a decision says whether there is a draft.
        found = await drafts.cards_of(services, request.user_id, [request]) if request.undoable else []
        return await show_card(http_request, services, found[0] if found else cards.untouched(request))
    if request.state is RequestState.WAITING:
        return interstitials.hop(http_request, request)
    if address := address_after(http_request, request):
        place = "undo" if request.undoable else "outcome"
        return RedirectResponse(f"{address}#{place}-{request.id}", status_code=303)
    return RedirectResponse(f"/requests/{request.id}", status_code=303)


async def _following(
    http_request: Request, services: Services, settled: InputRequest, server: str, advance: str
) -> ListedRequest | None:
    """Return the question that opens after an answer by itself, or for which that is suggested; None if none does."""
    choice = advance_of(http_request)
    stays = choice == "off" or (choice == "on" and is_htmx(http_request) and not advance)
    if stays or settled.state is RequestState.WAITING:
        return None
    return next_after(settled, await read_inbox(services, settled.user_id, server))


async def _advanced(
    http_request: Request, services: Services, settled: InputRequest, following: ListedRequest | None, suffix: str
) -> Response:
    """Return the `following` question, or the outcome; suggest there that the next one opens by itself."""
    if following is None:
        return await _settled(http_request, services, settled)
    if advance_of(http_request) != "on":
        response = await _settled(http_request, services, settled)
        if not is_htmx(http_request):
            response = RedirectResponse(f"/requests/{settled.id}?{SUGGEST}=1", status_code=303)
        response.headers.update(advance_cookie(http_request, "on"))
        return response
    if not is_htmx(http_request):
        return RedirectResponse(f"/requests/{following.id}?after={settled.id}", status_code=303)
    [request] = (await services.store.of(settled.user_id).requests.by_ids([following.id])).values()
    [card] = await drafts.cards_of(services, settled.user_id, [request])
    return await _detail(
        http_request, services, card, await with_suggestion(services, cards.untouched(settled)), suffix
    )


async def show_late(http_request: Request, services: Services, late: AlreadySettledError) -> HTMLResponse:
    """Return the card of a request that was settled before, which says so."""
    card = cards.untouched(late.request)
    card = replace(card, notice=str(late)) if isinstance(card, OutcomeCard) else card
    return await show_card(http_request, services, card, status=409)


async def show_card(
    http_request: Request, services: Services, card: Card, *, server: str = "", status: int = 200
) -> HTMLResponse:
    """Return a card, or without scripts its page; that of a request which has ended meanwhile is its outcome."""
    if isinstance(card, PendingCard) and not card.request.pending:
        card = cards.untouched(card.request)
    [card] = await drafts.add_history(services, card.request.user_id, [card])
    if is_htmx(http_request):
        # As the stream sends it to that page: whichever comes last stays.
        if isinstance(card, OutcomeCard) and _is_on_page_of_call(http_request, card.request):
            card = card.under_its_call()
        return render(http_request, "requests/_card.html", status=status, card=card)
    return await show_inbox(http_request, services, card.request.user_id, server=server, card=card, status=status)


def _is_on_page_of_call(http_request: Request, request: InputRequest) -> bool:
    return request.call_id is not None and shown_path(http_request).endswith(f"/calls/{request.call_id}")
