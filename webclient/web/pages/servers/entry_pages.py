"""The pages of catalog entries: each list, and each entry with the form that runs it, under addresses of their own."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from webclient.domain.model import Server
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, is_htmx, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.servers.catalog_entries import SEGMENTS, Kind
from webclient.web.pages.servers.catalog_pages import show_catalog
from webclient.web.pages.servers.runner import Wanted, read_runner
from webclient.web.pages.servers.server_tabs import tab_of

router = APIRouter(prefix="/servers", include_in_schema=False)


def _add_pages(kind: Kind) -> None:
    """Add the pages of the entries of this kind."""
    segment, tab = SEGMENTS[kind], tab_of(kind)

    async def show_list(
        http_request: Request,
        services: ServicesDep,
        server: ServerDep,
        *,
        q: str = "",
        entry: str = "",
        again: str = "",
    ) -> HTMLResponse:
        """Show the list, searched for `q`; `entry` is the scope of the one to open."""
        if entry:
            return await _show(http_request, services, server, Wanted(kind=kind, scope=entry), again)
        return await show_catalog(http_request, services, server, tab=tab, query=q)

    async def show_entry(
        http_request: Request, services: ServicesDep, server: ServerDep, name: str, again: str = ""
    ) -> HTMLResponse:
        """Show the list with the entry of that name opened; `again` is a call whose arguments are filled in."""
        return await _show(http_request, services, server, Wanted(kind=kind, name=name), again)

    router.add_api_route(f"/{{server_id}}/{segment}", show_list, methods=["GET"])
    router.add_api_route(f"/{{server_id}}/{segment}/{{name:path}}", show_entry, methods=["GET"])


async def _show(http_request: Request, services: Services, server: Server, wanted: Wanted, again: str) -> HTMLResponse:
    if not is_htmx(http_request):
        return await show_catalog(http_request, services, server, tab=wanted.tab, wanted=wanted, again=again)
    row = (await read_page_context(services, server.user_id)).row(server)
    runner = await read_runner(services, row, wanted, again=again)
    status = 404 if runner.state == "absent" else 200
    return render(http_request, "servers/_runner.html", status=status, runner=runner)


for _kind in SEGMENTS:
    _add_pages(_kind)
