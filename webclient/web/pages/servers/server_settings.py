"""The settings of a server: its name, address and headers, which are tried before they are saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Server
from webclient.domain.urls import mask_url
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, check_may_add_servers, redirect, render
from webclient.web.pages.confirmation import lost_work, read_open_work
from webclient.web.pages.posted_form import Posted, PostedDep, first
from webclient.web.pages.servers.attempts import Attempt, try_new
from webclient.web.pages.servers.new_server import NewServer, read_headers, read_transport, read_url, wrong_fields
from webclient.web.pages.servers.server_tabs import Tab, read_server_page

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.get("/{server_id}/settings")
async def show_settings(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show the settings of a server."""
    return await _show(http_request, services, server)


@router.post("/{server_id}/settings")
async def change_settings(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep
) -> Response:
    """Save name, address and headers; a new address is tried first.

    `save` is "anyway" to skip the trial, and "confirmed" to end open work as well.
    """
    typed, save = dict(posted), first(posted, "save")
    label = first(posted, "label").strip()
    url = read_url(posted) or _hidden_url(server)
    added, wrong_headers = read_headers(first(posted, "headers"))
    if errors := wrong_fields(label, url, wrong_headers):
        return await _show(http_request, services, server, status=422, typed=typed, errors=errors)
    changed = replace(server, label=label)
    transport = read_transport(posted, url, _headers(server, posted, added))
    if _is_same(transport, server.transport):
        await services.servers.change(changed)
        return redirect(_page(server), _("Saved."))
    if transport["url"] != server.transport.get("url"):
        # Another address is another server.
        await check_may_add_servers()
    new = NewServer(label=label, transport=transport, era=server.era)
    if not save:
        [attempt] = await try_new(services, server.user_id, [new])
        if attempt.trial.fault:
            return await _show(http_request, services, server, status=422, typed=typed, failed=[attempt])
        transport = attempt.trial.server.transport
    if save != "confirmed" and (found := await read_open_work(services, server)):
        return await _show(http_request, services, server, status=409, typed=typed, consequences=lost_work(found))
    await services.servers.change(changed)
    await services.servers.connect(await services.servers.move(changed, transport))
    return redirect(_page(server), _("Saved. The server is being reconnected."))


def _hidden_url(server: Server) -> str:
    """Return the present address, which the form does not repeat if it may have a secret in it."""
    return "" if "url" in server.lost else str(server.transport.get("url", ""))


def _headers(server: Server, posted: Posted, added: Mapping[str, str]) -> dict[str, str]:
    """Return the present headers without the removed ones, and with the new ones; names are equal in any case."""
    gone = {value.lower() for name, value in posted if name == "remove"} | {name.lower() for name in added}
    present: Mapping[str, str] = server.transport.get("headers") or {}
    return {name: value for name, value in present.items() if name.lower() not in gone} | dict(added)


def _is_same(new: Json, old: Json) -> bool:
    """Return whether two transports lead to the same place; a detected type does not count."""
    by_choice = "detect" not in new or "detect" not in old
    if by_choice and (new["type"], "detect" in new) != (old["type"], "detect" in old):
        return False
    return new["url"] == old["url"] and (new.get("headers") or {}) == (old.get("headers") or {})


def _page(server: Server) -> str:
    return f"/servers/{server.id}/settings"


async def _show(
    http_request: Request,
    services: Services,
    server: Server,
    *,
    status: int = 200,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    failed: Sequence[Attempt] = (),
    consequences: Sequence[str] = (),
) -> HTMLResponse:
    page = await read_server_page(services, server)
    url = _hidden_url(server)
    is_public = mask_url(url) == url
    present = {
        "label": server.label,
        "url": url if is_public else "",
        "type": "auto" if "detect" in server.transport else server.transport["type"],
    }
    return render(
        http_request,
        "servers/settings.html",
        status=status,
        page_context=page.page_context,
        row=page.row,
        tab=Tab.SETTINGS,
        tabs=page.tabs,
        typed=present if typed is None else typed,
        errors=errors or {},
        failed=failed,
        consequences=consequences,
    )
