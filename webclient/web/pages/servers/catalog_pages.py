"""The actions of a call form: run it, change its entries, switch to JSON and back, preview it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import ArgumentValues, Server, Via
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, TraceDep, is_htmx, render, render_in_steps
from webclient.web.pages.calls.call_pages import show_started
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first, posted_name, say_what_is_wrong
from webclient.web.pages.servers.call_form_editing import change, preview
from webclient.web.pages.servers.call_forms import CallForm, FilledForm, fill, find_call_form, typed_argument
from webclient.web.pages.servers.catalog_view import read_catalog, read_catalog_view
from webclient.web.pages.servers.following import follow_view
from webclient.web.pages.servers.runner import Runner, Wanted, open_runner, read_runner
from webclient.web.pages.servers.server_tabs import Tab, tab_of
from webclient.web.pages.servers.task_choice import TaskChoice, read_task_choice, remember

router = APIRouter(prefix="/servers", include_in_schema=False)


@router.post("/{server_id}/calls")
async def start_call(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep, trace: TraceDep
) -> Response:
    """Start a call and go to its page; with errors, show the form again."""
    try:
        call_form = await _posted_call_form(services, server, posted)
    except NotFoundError:
        services.connections.connected(server)  # that it is not says more
        raise
    filled, choice = fill(call_form, posted), await read_task_choice(services, server, call_form, posted)
    shown_again = partial(show_catalog, http_request, services, server, opened=call_form, task_choice=choice)
    if obstacle := _obstacle(services, server, call_form, posted):
        return await shown_again(status=409, filled=replace(filled, errors={**filled.errors, "": obstacle}))
    if not filled.is_right:
        return await shown_again(status=422, filled=filled)
    await remember(services, server, call_form, choice)
    call = await services.calls.start(
        server.user_id,
        server,
        kind=filled.kind,
        name=filled.name,
        arguments=filled.arguments,
        as_task=choice.as_task,
        via=Via.PAGE,
        trace=trace,
    )
    return await show_started(http_request, services, call)


@router.post("/{server_id}/form")
async def change_form(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Show the form after one of its buttons changed it; nothing runs."""
    call_form = await _posted_call_form(services, server, posted)
    filled, choice = change(call_form, posted), await read_task_choice(services, server, call_form, posted)
    if is_htmx(http_request):
        return await render_in_steps(
            http_request,
            "servers/_changed_call_form.html",
            server_id=server.id,
            call_form=call_form,
            posted=filled,
            task_choice=choice,
        )
    return await show_catalog(http_request, services, server, opened=call_form, filled=filled, task_choice=choice)


@router.post("/{server_id}/preview")
async def preview_form(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Show the arguments that the form would send."""
    shown = preview(await _posted_call_form(services, server, posted), posted)
    return render(http_request, "requests/_preview.html", card=shown)


@router.post("/{server_id}/check")
async def check_form(services: ServicesDep, posted: PostedDep, server: ServerDep) -> JSONResponse:
    """Return the errors of the posted fields by the id of their control."""
    call_form = await _posted_call_form(services, server, posted)
    filled = fill(call_form, posted)
    return say_what_is_wrong(call_form.scope, call_form.form.wrong(filled.errors, filled.inside))


@router.post("/{server_id}/complete")
async def complete_argument(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep
) -> HTMLResponse:
    """Show the values that the server suggests for the field `complete`; none if it fails or is not connected."""
    found = ArgumentValues()
    with suppress(ConflictError, NotFoundError):
        call_form = await _posted_call_form(services, server, posted)
        if wanted := typed_argument(call_form, posted, first(posted, "complete")):
            found = await services.connections.connected(server).argument_values(wanted)
    return render(http_request, "servers/_suggestions.html", found=found)


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
    wanted = first(posted, "kind"), posted_name(posted), first(posted, "shape")
    try:
        return find_call_form(catalog, *wanted)
    except NotFoundError:
        # The person may be filling in the form while the server is disconnected.
        return find_call_form(services.connections.last_catalog(server.key), *wanted)


async def show_catalog(
    http_request: Request,
    services: Services,
    server: Server,
    *,
    status: int = 200,
    tab: Tab | None = None,
    query: str = "",
    opened: CallForm | None = None,
    filled: FilledForm | None = None,
    task_choice: TaskChoice | None = None,
    wanted: Wanted | None = None,
    again: str = "",
) -> HTMLResponse:
    """Return a tab that lists entries.

    `opened` is the form to show beside the list, as `filled` in and with this `task_choice`; `wanted` is an entry that
    may not exist.
    """
    page_context = await read_page_context(services, server.user_id)
    row = page_context.row(server)
    tab = tab_of(opened.kind) if opened else tab
    catalog_view = await read_catalog_view(services, row, tab, query)
    if opened:
        choice = task_choice or await read_task_choice(services, server, opened)
        follow = follow_view(services, row, opened.kind, opened.name)
        runner = open_runner(row, opened, filled, task_choice=choice, follow=follow)
    elif wanted:
        runner = await read_runner(services, row, wanted, again=again)
    else:
        runner = Runner(row=row, tab=catalog_view.tab)
    return await render_in_steps(
        http_request,
        "servers/catalog.html",
        status=404 if runner.state == "absent" else status,
        page_context=page_context,
        row=row,
        tab=catalog_view.tab,
        tabs=catalog_view.tabs,
        catalog_view=catalog_view,
        runner=runner,
    )
