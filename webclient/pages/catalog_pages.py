"""The actions of a call form: run it, change its entries, switch to JSON and back, preview it."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.errors import ConflictError, NotFoundError
from webclient.http import PrincipalDep, ServicesDep, is_htmx, render, render_in_steps
from webclient.i18n import gettext as _
from webclient.model import Server, Via
from webclient.pages.call_form_editing import change, preview
from webclient.pages.call_forms import CallForm, FilledForm, fill, find_call_form
from webclient.pages.catalog_view import read_catalog, read_catalog_view
from webclient.pages.names import posted_name
from webclient.pages.page_context import read_page_context
from webclient.pages.posted_form import Posted, first, read_posted_form
from webclient.services import Services

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.post("/{server_id}/calls")
async def start_call(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Start a call and go to its page; with errors, show the form again."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    try:
        call_form = await _posted_call_form(services, server, posted)
    except NotFoundError:
        services.connections.connected(server)  # that it is not says more
        raise
    filled = fill(call_form, posted)
    if obstacle := _obstacle(services, server, call_form, posted):
        filled = replace(filled, errors={**filled.errors, "": obstacle})
        return await show_catalog(request, services, server, status=409, opened=call_form, filled=filled)
    if not filled.is_right:
        return await show_catalog(request, services, server, status=422, opened=call_form, filled=filled)
    call = await services.calls.start(
        principal.user_id, server, kind=filled.kind, name=filled.name, arguments=filled.arguments, via=Via.PAGE
    )
    return RedirectResponse(f"/calls/{call.id}", status_code=303)


@router.post("/{server_id}/form")
async def change_form(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Show the form after one of its buttons changed it; nothing runs."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    call_form = await _posted_call_form(services, server, posted)
    filled = change(call_form, posted)
    if is_htmx(request):
        return await render_in_steps(
            request, "servers/_changed_call_form.html", server_id=server.id, call_form=call_form, posted=filled
        )
    return await show_catalog(request, services, server, opened=call_form, filled=filled)


@router.post("/{server_id}/preview")
async def preview_form(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Show the arguments that the form would send."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    shown = preview(await _posted_call_form(services, server, posted), posted)
    return render(request, "requests/_preview.html", card=shown)


def _obstacle(services: Services, server: Server, call_form: CallForm, posted: Posted) -> str | None:
    """Return why the form cannot run now, independent of its values, or None."""
    try:
        services.connections.connected(server)
    except ConflictError as error:
        return str(error)
    if first(posted, "shape") not in ("", call_form.shape):
        # Controls are numbered: a value could have gone to a field that it was not typed into.
        return _(
            "The server changed this form after you opened it, so nothing was run. Check each value, then run it again."
        )
    return None


async def _posted_call_form(services: Services, server: Server, posted: Posted) -> CallForm:
    catalog, _problem = await read_catalog(services, server, to_run=True)
    kind, name = first(posted, "kind"), posted_name(posted)
    try:
        return find_call_form(catalog, kind, name)
    except NotFoundError:
        # The person may be filling in the form while the server is disconnected.
        return find_call_form(services.connections.last_catalog(server), kind, name)


async def show_catalog(
    request: Request,
    services: Services,
    server: Server,
    *,
    status: int = 200,
    opened: CallForm | None = None,
    filled: FilledForm | None = None,
) -> HTMLResponse:
    """Return the page of a server with the form `opened` `filled` in."""
    page_context = await read_page_context(services, server.user_id)
    row = next(row for row in page_context.servers if row.server.id == server.id)
    catalog_view = await read_catalog_view(services, row, opened=opened, filled=filled)
    return await render_in_steps(
        request, "servers/page.html", status=status, page_context=page_context, row=row, catalog_view=catalog_view
    )
