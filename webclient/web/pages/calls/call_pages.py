"""The pages of calls: the list, and one call with its timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import ArgumentsGoneError, ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, CallKind, CallState, InputRequest, ListedRequest, Via, now, read_trace
from webclient.services import Services
from webclient.store import fitting
from webclient.web.http import CallDep, PrincipalDep, ServicesDep, at_address, redirect, render, replaces_page
from webclient.web.pages.calls.call_status import catalog_item, read_call_rows
from webclient.web.pages.calls.call_timeline import timeline
from webclient.web.pages.calls.call_view import read_call_view
from webclient.web.pages.confirmation import CONFIRMED, Confirmation, ask, ask_unless_confirmed, era_change
from webclient.web.pages.inbox import drafts
from webclient.web.pages.page_context import find_server, read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first
from webclient.web.pages.servers.catalog_entries import again_path, is_destructive, path_of, title_of
from webclient.web.pages.servers.new_server import read_era

router = APIRouter(prefix="/calls", include_in_schema=False)

CARD_BYTES = 4_000_000
"""About the most bytes of the questions whose cards are on the page of a call; older ones are in the history."""

SHOWN = 50
"""The number of listed calls; older ones are in the history."""


@router.get("")
async def list_calls(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, state: CallState | None = None
) -> HTMLResponse:
    """Show the calls, newest first; with `state`, only those."""
    page_context = await read_page_context(services, principal.user_id)
    found = await services.store.of(principal.user_id).calls.listed(state, SHOWN + 1)
    return render(
        http_request,
        "calls/list.html",
        page_context=page_context,
        call_rows=await read_call_rows(services, principal.user_id, found[:SHOWN]),
        state=state,
        older=len(found) > SHOWN,
    )


@router.get("/{call_id}")
async def show_call(
    http_request: Request, call_id: str, services: ServicesDep, principal: PrincipalDep, show: str = ""
) -> HTMLResponse:
    """Show one call with its questions; `show=arguments` unfolds hidden arguments."""
    return await _page(http_request, services, principal.user_id, call_id, show=show)


async def show_started(http_request: Request, services: Services, call: Call) -> Response:
    """Go to the page of a new call, or show it in place.

    The page waits a moment for the first question, so that it is there at once.
    """
    await services.calls.first_change(call, services.settings.page_wait_ms / 1000)
    if not replaces_page(http_request):
        return _to(call)
    return await _page(http_request, services, call.user_id, call.id, headers=at_address(_address(call)))


async def _page(
    http_request: Request,
    services: Services,
    user_id: str,
    call_id: str,
    *,
    show: str = "",
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    page_context = await read_page_context(services, user_id)
    call = await services.store.of(user_id).calls.get(call_id)
    cards = await drafts.cards_of(services, user_id, await requests_of(services, call))
    return render(
        http_request,
        "calls/page.html",
        headers=headers,
        page_context=replace(page_context, address=_address(call)),
        entries=timeline(call, [card.under_its_call() for card in cards]),
        call_view=await read_call_view(services, call),
        shows=show,
    )


@router.post("/{call_id}/cancel")
async def cancel_call(services: ServicesDep, call: CallDep) -> Response:
    """Stop a call and notify the server."""
    return _to(await services.calls.cancel(call))


@router.post("/{call_id}/retry")
async def retry_call(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep, call: CallDep
) -> Response:
    """Run the same again as a new call; stop the old one first if it is still open.

    With an `era`, reconnect the server in it first; ask to confirm if that ends open work.
    """
    store = services.store.of(principal.user_id)
    if page := await _ask_first(http_request, services, call, posted):
        return page
    if era := first(posted, "era") and read_era(first(posted, "era")):
        server = await store.servers.get(call.server_id)
        confirmation = partial(era_change, server, era, action=f"/calls/{call.id}/retry")
        if server.era is not era and (
            page := await ask_unless_confirmed(http_request, services, server, posted, confirmation)
        ):
            return page
        try:
            await services.servers.try_era(server, era)
        except ConflictError as error:
            # The call's page says so as well, from now on.
            return redirect(f"/calls/{call.id}", str(error))
        # Reconnecting may have ended it.
        call = await store.calls.get(call.id)
    if not call.state.ended:
        await services.calls.cancel(call)
    try:
        again = await services.calls.retry(call, via=Via.PAGE, trace=read_trace(http_request.headers))
    except ArgumentsGoneError:
        return RedirectResponse(f"/servers/{call.server_id}?again={call.id}", status_code=303)
    return await show_started(http_request, services, again)


async def _ask_first(http_request: Request, services: Services, call: Call, posted: Posted) -> HTMLResponse | None:
    """Return the page that asks to confirm before a destructive tool runs again, or None to go ahead.

    With an era it does not ask: the server is asked there what it could not ask before.
    """
    server = await find_server(services, call.user_id, call.server_id)
    if server is None or call.kind is not CallKind.TOOL or first(posted, CONFIRMED) or first(posted, "era"):
        return None
    await services.connections.know_tools(server)
    item = catalog_item(services, call, server)
    return await ask(http_request, services, server, _rerun(call, title_of(item))) if is_destructive(item) else None


def _rerun(call: Call, title: str) -> Confirmation:
    return Confirmation(
        title=_("Run {name} again?").format(name=visible(title, 80)),
        consequences=[
            _("The server says that this tool may delete or overwrite something."),
            _("It runs with the same arguments."),
        ],
        action=f"/calls/{call.id}/retry",
        button=_("Run again"),
        is_destructive=True,
        back=f"calls/{call.id}",
    )


@router.get("/{call_id}/edit")
async def edit_call(call: CallDep) -> Response:
    """Go to the form of the call's tool or prompt, filled in with its arguments."""
    address = f"/servers/{call.server_id}/{again_path(path_of(call.kind.value, call.name), call.id)}"
    return RedirectResponse(address, status_code=303)


def belongs(request: ListedRequest, call: Call) -> bool:
    """Return whether the request belongs on the call's page: it is, or may be, a request of the call."""
    if request.call_id is not None:
        return request.call_id == call.id
    if request.possible_calls:
        return call.id in request.possible_calls
    created = request.created_at
    in_time = call.created_at <= created and (created <= call.updated_at or not call.state.ended)
    return in_time and request.server_id == call.server_id


async def listed_requests_of(services: Services, call: Call) -> list[ListedRequest]:
    """Return the requests on the call's page, oldest first, as lists show them."""
    lists = services.store.of(call.user_id).request_lists
    until = call.updated_at if call.state.ended else now()
    own = await lists.of_call(call.id)
    unknown = await lists.without_call(call.server_id, call.created_at, until)
    may_be = [each for each in unknown if belongs(each, call)]
    return sorted([*own, *may_be], key=lambda each: (each.created_at, each.position))


async def requests_of(services: Services, call: Call) -> list[InputRequest]:
    """Return the requests whose cards are on the call's page, oldest first.

    They are the open ones, then the newest, as many as fit into `CARD_BYTES`.
    """
    listed = await listed_requests_of(services, call)
    first = sorted(listed, key=lambda each: (each.open, each.created_at, each.position), reverse=True)
    ids = {each.id for each in first[: fitting((each.size for each in first), CARD_BYTES)]}
    found = await services.store.of(call.user_id).requests.by_ids(ids) if ids else {}
    return [found[each.id] for each in listed if each.id in found]


def _to(call: Call) -> Response:
    return RedirectResponse(_address(call), status_code=303)


def _address(call: Call) -> str:
    return f"/calls/{call.id}"
