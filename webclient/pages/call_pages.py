"""The pages of calls: the list, and one call with its timeline."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.errors import ArgumentsGoneError
from webclient.http import PrincipalDep, ServicesDep, render
from webclient.model import Call, InputRequest, Via, now
from webclient.pages import drafts
from webclient.pages.call_view import read_call_view
from webclient.pages.confirmation import CONFIRMED, ask_to_confirm, era_change, read_open_work
from webclient.pages.new_server import read_era
from webclient.pages.page_context import read_page_context
from webclient.pages.posted_form import first, read_posted_form
from webclient.services import Services

router = APIRouter(prefix="/calls", include_in_schema=False)

SHOWN = 50
"""The number of listed calls; older ones are in the history."""


@router.get("")
async def list_calls(http_request: Request, services: ServicesDep, principal: PrincipalDep) -> HTMLResponse:
    """Show the calls, newest first."""
    page_context = await read_page_context(services, principal.user_id)
    found = await services.store.of(principal.user_id).calls.find(limit=SHOWN + 1)
    return render(
        http_request, "calls/list.html", page_context=page_context, calls=found[:SHOWN], older=len(found) > SHOWN
    )


@router.get("/{call_id}")
async def show_call(
    http_request: Request, call_id: str, services: ServicesDep, principal: PrincipalDep, show: str = ""
) -> HTMLResponse:
    """Show one call with its questions; `show=arguments` unfolds hidden arguments."""
    page_context = await read_page_context(services, principal.user_id)
    call = await services.store.of(principal.user_id).calls.get(call_id)
    cards = await drafts.cards_of(services, principal.user_id, await requests_of(services, call))
    return render(
        http_request,
        "calls/page.html",
        page_context=page_context,
        cards=[card.under_its_call() for card in cards],
        call_view=await read_call_view(services, call),
        shows=show,
    )


@router.post("/{call_id}/cancel")
async def cancel_call(call_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Stop a call and notify the server."""
    return _to(await services.calls.cancel(await services.store.of(principal.user_id).calls.get(call_id)))


@router.post("/{call_id}/retry")
async def retry_call(http_request: Request, call_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Run the same again as a new call; stop the old one first if it is still open.

    With an `era`, reconnect the server in it first; ask to confirm if that ends open work.
    """
    posted = await read_posted_form(http_request, services)
    call = await services.store.of(principal.user_id).calls.get(call_id)
    if era := first(posted, "era") and read_era(first(posted, "era")):
        server = await services.store.of(principal.user_id).servers.get(call.server_id)
        if server.era is not era and (found := await read_open_work(services, server)) and not first(posted, CONFIRMED):
            confirmation = era_change(server, era, found, action=f"/calls/{call.id}/retry")
            return await ask_to_confirm(http_request, services, server, confirmation, status=409)
        await services.servers.use_era(server, era)
    call = await services.store.of(principal.user_id).calls.get(call_id)
    if not call.state.ended:
        await services.calls.cancel(call)
    try:
        return _to(await services.calls.retry(call, via=Via.PAGE))
    except ArgumentsGoneError:
        return RedirectResponse(f"/servers/{call.server_id}?again={call.id}", status_code=303)


def belongs(request: InputRequest, call: Call) -> bool:
    """Whether the request belongs on the call's page: it is, or may be, a request of the call."""
    if request.call_id is not None:
        return request.call_id == call.id
    if request.possible_calls:
        return call.id in request.possible_calls
    created = request.created_at
    in_time = call.created_at <= created and (created <= call.updated_at or not call.state.ended)
    return in_time and request.server_id == call.server_id


async def requests_of(services: Services, call: Call) -> Sequence[InputRequest]:
    """Return the requests on the call's page, oldest first."""
    store = services.store.of(call.user_id).requests
    until = call.updated_at if call.state.ended else now()
    own = await store.find(call_id=call.id)
    unknown = await store.without_call(call.server_id, call.created_at, until)
    may_be = [each for each in unknown if belongs(each, call)]
    return sorted([*own, *may_be], key=lambda each: (each.created_at, each.position))


def _to(call: Call) -> Response:
    return RedirectResponse(f"/calls/{call.id}", status_code=303)
