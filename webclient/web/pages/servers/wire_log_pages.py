"""The wire log of a server or of a call: its page, one whole message, and the stream of new messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from sse_starlette import ServerSentEvent
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.domain.errors import InvalidInputError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed
from webclient.domain.model import LogLevel, Server
from webclient.protocol.wire_log import LONGEST, LogFilter, ServerLog
from webclient.services import Services
from webclient.web.http import (
    ALIVE,
    PING,
    CallDep,
    EventStream,
    PrincipalDep,
    ServerDep,
    ServicesDep,
    StreamClient,
    StreamClientDep,
    is_htmx,
    redirect,
    render_in_steps,
    render_text_in_steps,
)
from webclient.web.pages.page_context import find_server, read_page_context
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.servers.server_tabs import Tab, read_server_page
from webclient.web.pages.servers.wire_log_view import Line, LogSubject, LogView, read_log_view, read_news, read_subject

router = APIRouter(include_in_schema=False)

BATCH = 0.25
"""Seconds in which any number of new messages is sent to a page once."""


async def _server_of_call(call: CallDep, services: ServicesDep) -> Server:
    if server := await find_server(services, call.user_id, call.server_id):
        return server
    raise NotFoundError(_("The server of this call was removed, and its log with it."))


ServerOfCallDep = Annotated[Server, Depends(_server_of_call)]
SeenDep = Annotated[str | None, Header(alias="Last-Event-ID")]


@router.get("/servers/{server_id}/log")
async def show_server_log(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show the messages of a server."""
    log_view = await read_log_view(services, read_subject(http_request.query_params, server))
    if is_htmx(http_request):
        return await _part(http_request, log_view)
    page = await read_server_page(services, server)
    return await render_in_steps(
        http_request,
        "wire_log/server.html",
        page_context=page.page_context,
        row=page.row,
        tab=Tab.LOG,
        tabs=page.tabs,
        log_view=log_view,
        messages=services.connections.messages(server),
        levels=list(LogLevel),
    )


@router.post("/servers/{server_id}/log-level")
async def change_log_level(services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Save the level from which the server is asked for log messages."""
    level = first(posted, "level")
    if level not in list(LogLevel):
        message = _("The level must be one of {levels}.").format(levels=listed(LogLevel))
        raise InvalidInputError(message, {"level": message})
    await services.servers.change(replace(server, log_level=LogLevel(level)))
    return redirect(f"/servers/{server.id}/log", _("Level saved."))


@router.get("/calls/{call_id}/log")
async def show_call_log(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    call: CallDep,
    server: ServerOfCallDep,
    *,
    part: str = "",
) -> HTMLResponse:
    """Show the messages of a call; as a `part` of another page with a filter, or as the list of messages alone."""
    log_view = await read_log_view(services, read_subject(http_request.query_params, server, call))
    if is_htmx(http_request) and part == "messages":
        return await render_in_steps(http_request, "wire_log/_messages.html", log_view=log_view)
    if is_htmx(http_request):
        return await _part(http_request, log_view)
    page_context = await read_page_context(services, principal.user_id)
    return await render_in_steps(http_request, "wire_log/call.html", page_context=page_context, log_view=log_view)


@router.get("/servers/{server_id}/log/stream")
async def stream_server_log(
    http_request: Request,
    services: ServicesDep,
    server: ServerDep,
    client: StreamClientDep,
    *,
    seen: str = "",
    last_event_id: SeenDep = None,
) -> EventStream:
    """Stream new messages of a server to a page that shows them."""
    subject = read_subject(http_request.query_params, server)
    return EventStream(_messages(services, subject, client, last_event_id or seen))


@router.get("/calls/{call_id}/log/stream")
async def stream_call_log(
    http_request: Request,
    services: ServicesDep,
    call: CallDep,
    server: ServerOfCallDep,
    client: StreamClientDep,
    *,
    seen: str = "",
    last_event_id: SeenDep = None,
) -> EventStream:
    """Stream new messages of a call to a page that shows them."""
    subject = read_subject(http_request.query_params, server, call)
    return EventStream(_messages(services, subject, client, last_event_id or seen))


@router.get("/servers/{server_id}/log/{number}")
async def show_message(http_request: Request, services: ServicesDep, server: ServerDep, number: int) -> HTMLResponse:
    """Show one whole message."""
    one = LogSubject(server=server, wanted=LogFilter(after=number - 1, before=number + 1))
    log_view = await read_log_view(services, one, LONGEST)
    if not log_view.lines:
        raise NotFoundError(_("This message is no longer in the log."))
    page = await read_server_page(services, server)
    return await render_in_steps(
        http_request,
        "wire_log/message.html",
        page_context=page.page_context,
        row=page.row,
        tab=Tab.LOG,
        tabs=page.tabs,
        log_view=log_view,
        line=Line(log_view.lines[0].entry, is_whole=True),
    )


@router.post("/servers/{server_id}/log/clear")
async def clear_log(services: ServicesDep, server: ServerDep) -> Response:
    """Drop all messages of a server."""
    services.wire_logs.clear(server.key)
    return RedirectResponse(f"/servers/{server.id}/log", status_code=303)


async def _part(http_request: Request, log_view: LogView) -> HTMLResponse:
    return await render_in_steps(http_request, "wire_log/_log.html", log_view=log_view)


async def _messages(
    services: Services, subject: LogSubject, client: StreamClient, seen: str
) -> AsyncIterator[ServerSentEvent]:
    log = services.wire_logs.watch(subject.server.key)
    with log.watched() as changed:
        client.when_signed_out(changed.set)
        while not log.is_closed and client.is_signed_in:
            changed.clear()
            news = await read_news(services, subject, seen)
            if (news.lines or news.from_start) and client.is_signed_in:
                html = await render_text_in_steps("wire_log/_news.html", log_view=news)
                yield ServerSentEvent(id=news.cursor, data=html)
            seen = news.cursor
            await _next(changed, log)
            if not changed.is_set() and client.is_signed_in:
                yield ALIVE


async def _next(changed: asyncio.Event, log: ServerLog) -> None:
    """Wait for new messages, or for the next sign of life."""
    if log.complete < log.newest:
        # A message waits for its text.
        await asyncio.sleep(BATCH)
        changed.set()
        return
    try:
        async with asyncio.timeout(PING):
            await changed.wait()
    except TimeoutError:
        return
    if not log.is_closed:
        await asyncio.sleep(BATCH)
