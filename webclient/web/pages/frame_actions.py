"""Actions of a frame that other pages ask to confirm on a page of their own: to dismiss a sign-in or to
register again for it, to mute who asks.

Only sessions of embedding applications have these routes: their users reach none of those pages, so the frame also
lists who is muted.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response

from webclient.auth import Principal
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.services import Services
from webclient.web.http import PrincipalDep, RequestDep, ServerDep, ServicesDep, render
from webclient.web.pages.inbox.sign_in_card_pages import refuse_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import PostedDep


async def _framed(principal: PrincipalDep) -> Principal:
    if principal.embedding is None:
        raise NotFoundError(
            _("Nothing exists at this address. It may have been removed, or the address may be mistyped.")
        )
    return principal


FramedDep = Annotated[Principal, Depends(_framed)]

router = APIRouter(prefix="/panel", include_in_schema=False)


@router.post("/sign-ins/{sign_in_id}/dismiss")
async def dismiss_sign_in(services: ServicesDep, principal: FramedDep, posted: PostedDep, sign_in_id: str) -> Response:
    """Dismiss a sign-in that a server wants; calls that wait for it fail. The stream removes its card."""
    refuse_too_soon(posted)
    await services.sign_ins.cancel(principal.user_id, sign_in_id)
    return Response(status_code=204)


@router.post("/sign-ins/{sign_in_id}/register")
async def register_again(services: ServicesDep, principal: FramedDep, posted: PostedDep, sign_in_id: str) -> Response:
    """Register with the authorization server of a sign-in once more. The stream says so in its card."""
    refuse_too_soon(posted)
    await services.sign_ins.register_again(principal.user_id, sign_in_id)
    return Response(status_code=204)


@router.post("/requests/{request_id}/mute")
async def mute(http_request: Request, services: ServicesDep, principal: FramedDep, request: RequestDep) -> HTMLResponse:
    """Mute the server, or the program of another user, that asks a question; return who is muted now."""
    if request.asked_by.made_by:
        await services.program_requests.mute(request)
    else:
        server = await services.store.of(principal.user_id).servers.get(request.server_id)
        if server is None:
            raise NotFoundError(_("This question is not from a server of yours, nor from a program of another user."))
        await services.servers.mute(server)
    return await _muted(http_request, services, principal)


@router.post("/servers/{server_id}/unmute")
async def unmute_server(
    http_request: Request, services: ServicesDep, principal: FramedDep, server: ServerDep
) -> HTMLResponse:
    """Let a server ask again; return who is muted now."""
    await services.servers.unmute(server)
    return await _muted(http_request, services, principal)


@router.post("/programs/{asker_id}/unmute")
async def unmute_program(
    http_request: Request, services: ServicesDep, principal: FramedDep, asker_id: str
) -> HTMLResponse:
    """Let a program ask again; return who is muted now."""
    if not await services.store.of(principal.user_id).muted_programs.remove(asker_id):
        raise NotFoundError(_("This program is not muted."))
    return await _muted(http_request, services, principal)


async def _muted(http_request: Request, services: Services, principal: Principal) -> HTMLResponse:
    page_context = await read_page_context(services, principal.user_id)
    programs = await services.store.of(principal.user_id).muted_programs.all()
    return render(http_request, "embed/_muted.html", rows=page_context.servers, programs=programs)
