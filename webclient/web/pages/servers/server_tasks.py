"""The tab with the tasks of a server: those that calls of the user follow, and those that others have started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.calls import ListedTask
from webclient.domain.errors import ConflictError, WebclientError
from webclient.domain.model import Server, ServerState, Via
from webclient.servers.connections import lists_tasks
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, render
from webclient.web.pages.calls.call_pages import show_started
from webclient.web.pages.calls.call_status import CallRow, calls_with_tasks, read_call_rows
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.servers.server_tabs import Tab, read_server_page

router = APIRouter(prefix="/servers", include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksView:
    """The tasks of a server: `call_rows` of the user's calls with one, newest first, and `others`.

    `lists` is whether the server can list its tasks, `problem` why that failed. `typed` is the ID in the field, with
    what is wrong with it in `error`.
    """

    call_rows: Sequence[CallRow]
    lists: bool = False
    others: Sequence[ListedTask] = ()
    problem: str = ""
    typed: str = ""
    error: str = ""


@router.get("/{server_id}/tasks")
async def show_tasks(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show the tasks of a server."""
    return await _page(http_request, services, server)


@router.post("/{server_id}/tasks")
async def take_up(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Follow a task that was not started here, as a new call."""
    task_id = first(posted, "task").strip()
    try:
        call = await services.server_tasks.take_up(server, task_id, via=Via.PAGE)
    except WebclientError as error:
        return await _page(http_request, services, server, status=error.status, typed=task_id, error=str(error))
    return await show_started(http_request, services, call)


async def _page(
    http_request: Request, services: Services, server: Server, *, status: int = 200, typed: str = "", error: str = ""
) -> HTMLResponse:
    page = await read_server_page(services, server)
    return render(
        http_request,
        "servers/tasks.html",
        status=status,
        page_context=page.page_context,
        row=page.row,
        tab=Tab.TASKS,
        tabs=page.tabs,
        tasks_view=await _read(services, server, typed=typed, error=error),
    )


async def _read(services: Services, server: Server, *, typed: str, error: str) -> TasksView:
    ours = await calls_with_tasks(services, server.user_id, server.id)
    rows = await read_call_rows(services, server.user_id, ours)
    status = services.connections.status(server.key)
    lists = status.state is ServerState.CONNECTED and lists_tasks(status.capabilities)
    others: Sequence[ListedTask] = ()
    problem = ""
    if lists:
        try:
            others = [each for each in await services.server_tasks.list(server) if each.call is None]
        except ConflictError as failed:
            problem = str(failed)
    return TasksView(call_rows=rows, lists=lists, others=others, problem=problem, typed=typed, error=error)
