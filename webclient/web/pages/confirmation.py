"""Actions on a server that end open work: a page names that work and asks to confirm."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import Era, Server
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

CONFIRMED = "confirmed"
"""The control that the button of the page posts."""


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The number of pending questions and of open calls on a server's connection."""

    requests: int
    calls: int

    def __bool__(self) -> bool:
        return bool(self.requests or self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """An action to confirm: posting `fields` to `action` does it, with the `consequences`.

    `back` is the page to which one goes back without it, as a path below the first page.

    `is_destructive`: it cannot be undone, or ends open work.
    """

    title: str
    consequences: Sequence[str]
    action: str
    button: str
    fields: Posted = ()
    is_destructive: bool = False
    back: str = ""


async def read_open_work(services: Services, server: Server) -> OpenWork:
    """Count the open work on the server's connection."""
    pending = await services.store.of(server.user_id).requests.count_pending()
    return OpenWork(pending.get(server.id, 0), await services.store.of(server.user_id).calls.count_open(server.id))


def lost_work(found: OpenWork) -> list[str]:
    """Return the sentences on what the end of the connection does to open work."""
    waiting = ngettext(
        "{n} question is waiting for you. It will be interrupted: the server gets no answer.",
        "{n} questions are waiting for you. They will be interrupted: the server gets no answers.",
        found.requests,
    )
    running = ngettext(
        "{n} call is running. It will be interrupted; you can run it again later.",
        "{n} calls are running. They will be interrupted; you can run them again later.",
        found.calls,
    )
    return [
        *([waiting.format(n=found.requests)] if found.requests else []),
        *([running.format(n=found.calls)] if found.calls else []),
        *([] if found else [_("No questions are waiting, and no calls are running.")]),
    ]


def era_change(server: Server, era: Era, found: OpenWork, *, action: str) -> Confirmation:
    """Return the confirmation of `action`, which reconnects the server in another era."""
    return Confirmation(
        title=_("Reconnect {label}?").format(label=server.label),
        consequences=[
            _("The protocol version is negotiated when connecting, so the server will be reconnected."),
            *lost_work(found),
        ],
        action=action,
        button=_("Reconnect"),
        fields=[("era", era)],
        is_destructive=bool(found),
    )


async def ask_unless_confirmed(
    http_request: Request,
    services: Services,
    server: Server,
    posted: Posted,
    confirmation: Callable[[OpenWork], Confirmation],
    *,
    ends: Callable[[OpenWork], bool] = bool,
) -> HTMLResponse | None:
    """Return the page that asks to confirm an action, or None to go ahead.

    It may if the person has confirmed it, or if it `ends` nothing of the open work.
    """
    if first(posted, CONFIRMED):
        return None
    found = await read_open_work(services, server)
    return await ask(http_request, services, server, confirmation(found), status=409) if ends(found) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAction:
    """An action on a server that asks to confirm first if it `ends` open work; `run` returns the response."""

    path: str
    confirmation: Callable[[Server, OpenWork], Confirmation]
    run: Callable[[Services, Server], Awaitable[Response]]
    ends: Callable[[OpenWork], bool] = bool

    async def ask(self, http_request: Request, services: ServicesDep, server: ServerDep) -> Response:
        """Show the confirmation."""
        found = await read_open_work(services, server)
        return await ask(http_request, services, server, self.confirmation(server, found))

    async def act(self, http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
        """Run the action, or show the confirmation first."""
        confirmation = partial(self.confirmation, server)
        page = await ask_unless_confirmed(http_request, services, server, posted, confirmation, ends=self.ends)
        return page or await self.run(services, server)


def add_action(router: APIRouter, action: ServerAction) -> None:
    """Add the routes of an action: GET shows its confirmation, POST runs it."""
    router.add_api_route(f"/{{server_id}}/{action.path}", action.ask, methods=["GET"])
    router.add_api_route(f"/{{server_id}}/{action.path}", action.act, methods=["POST"])


async def ask(
    http_request: Request, services: Services, server: Server, confirmation: Confirmation, *, status: int = 200
) -> HTMLResponse:
    """Show the page that asks to confirm; without a page of its own, one goes back to that of the server."""
    page_context = await read_page_context(services, server.user_id)
    return render(
        http_request,
        "servers/confirmation.html",
        status=status,
        page_context=page_context,
        confirmation=replace(confirmation, back=confirmation.back or f"servers/{server.id}"),
    )
