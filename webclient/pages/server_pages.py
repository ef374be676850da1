"""The pages of servers: the list, one server with its catalog, and the actions on its connection."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import anyio
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.errors import ConflictError, InvalidInputError
from webclient.http import PrincipalDep, ServicesDep, render
from webclient.i18n import gettext as _
from webclient.model import Server
from webclient.pages.call_forms import find_call_form, refill
from webclient.pages.catalog_pages import show_catalog
from webclient.pages.catalog_view import read_catalog
from webclient.pages.confirmation import (
    CONFIRMED,
    Confirmation,
    OpenWork,
    ask_to_confirm,
    era_change,
    lost_work,
    read_open_work,
)
from webclient.pages.new_server import read_era, read_new_server
from webclient.pages.page_context import read_page_context
from webclient.pages.posted_form import first, read_posted_form
from webclient.services import Services

router = APIRouter(prefix="/servers", include_in_schema=False)

SOON = 5
"""Seconds that a page waits for a server that is connecting."""


@router.get("")
async def list_servers(request: Request, services: ServicesDep, principal: PrincipalDep) -> HTMLResponse:
    """Show all servers, and the form that adds one."""
    return await _list(request, services, principal.user_id)


@router.post("")
async def add_server(request: Request, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Add an http or sse server and begin to connect it."""
    posted = await read_posted_form(request, services)
    try:
        server = await services.servers.add(principal.user_id, **read_new_server(posted))
    except InvalidInputError as wrong:
        return await _list(request, services, principal.user_id, status=422, typed=dict(posted), errors=wrong.errors)
    services.connections.connect(server)
    return _to(server)


@router.get("/{server_id}")
async def show_server(
    request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep, again: str | None = None
) -> HTMLResponse:
    """Show one server with its catalog; `again` is the id of a call whose form is filled in."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    if again and await _connected_soon(services, server_id):
        call = await services.store.of(principal.user_id).calls.get(again)
        call_form = find_call_form((await read_catalog(services, server))[0], call.kind, call.name)
        return await show_catalog(request, services, server, opened=call_form, filled=refill(call_form, call))
    return await show_catalog(request, services, server)


@router.post("/{server_id}/connect")
async def connect_server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Start connecting the server."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    services.connections.connect(server)
    return _to(server)


@router.post("/{server_id}/refresh")
async def refresh_catalog(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Read the catalog from the server again."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    await read_catalog(services, server, refresh=True)
    return _to(server)


@router.get("/{server_id}/disconnect")
async def ask_to_disconnect(
    request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Show the confirmation of disconnecting."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    return await ask_to_confirm(
        request, services, server, _disconnecting(server, await read_open_work(services, server))
    )


@router.post("/{server_id}/disconnect")
async def disconnect_server(
    request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Disconnect the server; ask to confirm first if work is open."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    if (found := await read_open_work(services, server)) and not first(posted, CONFIRMED):
        return await ask_to_confirm(request, services, server, _disconnecting(server, found), status=409)
    await services.connections.disconnect(server)
    return _to(server)


@router.get("/{server_id}/delete")
async def ask_to_delete(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Show the confirmation of removing the server."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    return await ask_to_confirm(request, services, server, _deleting(server, await read_open_work(services, server)))


@router.post("/{server_id}/delete")
async def delete_server(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Remove the server; ask to confirm first if work is open."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    if (found := await read_open_work(services, server)) and not first(posted, CONFIRMED):
        return await ask_to_confirm(request, services, server, _deleting(server, found), status=409)
    await services.servers.remove(server)
    return RedirectResponse("/servers", status_code=303)


@router.post("/{server_id}/era")
async def change_era(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Reconnect the server in another era; ask to confirm first if work is open."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    era = read_era(first(posted, "era"))
    if (found := await read_open_work(services, server)) and not first(posted, CONFIRMED):
        confirmation = era_change(server, era, found, action=f"/servers/{server.id}/era")
        return await ask_to_confirm(request, services, server, confirmation, status=409)
    await services.servers.change_era(server, era)
    return _to(server)


async def _connected_soon(services: Services, server_id: str) -> bool:
    """Whether the server is connected within `SOON` seconds; the page needs its catalog."""
    with suppress(ConflictError), anyio.move_on_after(SOON):
        await services.connections.ready(server_id)
        return True
    return False


async def _list(
    request: Request,
    services: Services,
    user_id: str,
    *,
    status: int = 200,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> HTMLResponse:
    page_context = await read_page_context(services, user_id)
    return render(
        request, "servers/list.html", status=status, page_context=page_context, typed=typed or {}, errors=errors or {}
    )


def _disconnecting(server: Server, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Disconnect {label}?").format(label=server.label),
        consequences=lost_work(found),
        action=f"/servers/{server.id}/disconnect",
        button=_("Disconnect"),
    )


def _deleting(server: Server, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Remove {label}?").format(label=server.label),
        consequences=[
            *lost_work(found),
            _("The server will be disconnected and removed. The history of its calls stays."),
        ],
        action=f"/servers/{server.id}/delete",
        button=_("Remove server"),
    )


def _to(server: Server) -> Response:
    return RedirectResponse(f"/servers/{server.id}", status_code=303)
