"""The page of one server, and the actions on its connection."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import anyio
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Era, Server
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServerDep, ServicesDep, redirect
from webclient.web.pages.confirmation import (
    Confirmation,
    OpenWork,
    ServerAction,
    add_action,
    ask_unless_confirmed,
    era_change,
    lost_work,
)
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.servers.call_forms import find_call_form, refill
from webclient.web.pages.servers.catalog_pages import show_catalog
from webclient.web.pages.servers.catalog_view import read_catalog
from webclient.web.pages.servers.new_server import read_era
from webclient.web.pages.servers.server_tabs import Tab

router = APIRouter(prefix="/servers", include_in_schema=False)

SOON = 5
"""Seconds that a page waits for a server that is connecting."""


@router.get("/{server_id}")
async def show_server(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    server: ServerDep,
    *,
    again: str = "",
    q: str = "",
) -> HTMLResponse:
    """Show the first tab of a server that has entries; `again` is the id of a call whose form is filled in."""
    if again and await _connected_soon(services, server):
        call = await services.store.of(principal.user_id).calls.get(again)
        call_form = find_call_form((await read_catalog(services, server))[0], call.kind, call.name)
        return await show_catalog(http_request, services, server, opened=call_form, filled=refill(call_form, call))
    return await show_catalog(http_request, services, server, query=q)


@router.post("/{server_id}/connect")
async def connect_server(services: ServicesDep, server: ServerDep) -> Response:
    """Start connecting the server."""
    await services.servers.connect(server)
    return _to(server)


@router.post("/{server_id}/refresh")
async def refresh_catalog(services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Read the catalog from the server again."""
    await read_catalog(services, server, refresh=True)
    tab = first(posted, "tab")
    return RedirectResponse(f"/servers/{server.id}/{tab if tab in list(Tab) else Tab.TOOLS}", status_code=303)


@router.post("/{server_id}/era")
async def change_era(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Reconnect the server in another era; ask to confirm first if work is open.

    With `trial`, the name of a tab to go back to, the earlier era is restored if the server refuses this one.
    """
    era = read_era(first(posted, "era"))
    confirmation = partial(era_change, server, era, action=f"/servers/{server.id}/era")
    if page := await ask_unless_confirmed(http_request, services, server, posted, confirmation):
        return page
    if tab := first(posted, "trial"):
        return await _try_era(services, server, era, tab)
    await services.servers.change_era(server, era)
    return redirect(f"/servers/{server.id}/settings", _("Saved. The server is being reconnected."))


async def _try_era(services: Services, server: Server, era: Era, tab: str) -> Response:
    path = f"/servers/{server.id}/{tab if tab in list(Tab) else Tab.TOOLS}"
    try:
        await services.servers.try_era(server, era)
    except ConflictError as error:
        return redirect(path, str(error))
    return redirect(path, _("Connected with {era}.").format(era=era))


async def _disconnect(services: Services, server: Server) -> Response:
    await services.servers.disconnect(server)
    return redirect(f"/servers/{server.id}", _("Disconnected."))


async def _remove(services: Services, server: Server) -> Response:
    await services.servers.remove(server)
    return redirect("/servers", _("Removed “{label}”.").format(label=visible(server.label, 80)))


async def _connected_soon(services: Services, server: Server) -> bool:
    """Whether the server is connected within `SOON` seconds; the page needs its catalog."""
    with suppress(ConflictError), anyio.move_on_after(SOON):
        await services.connections.ready(server.key)
        return True
    return False


def _disconnecting(server: Server, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Disconnect {label}?").format(label=server.label),
        consequences=lost_work(found),
        action=f"/servers/{server.id}/disconnect",
        button=_("Disconnect"),
        is_destructive=True,
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
        is_destructive=True,
    )


def _to(server: Server) -> Response:
    return RedirectResponse(f"/servers/{server.id}", status_code=303)


add_action(router, ServerAction(path="disconnect", confirmation=_disconnecting, run=_disconnect))
# Always asks: an address and headers cannot be brought back.
add_action(router, ServerAction(path="delete", confirmation=_deleting, run=_remove, ends=lambda _found: True))
