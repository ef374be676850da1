"""The addresses of agents: `/mcp/{server_id}` speaks MCP over streamable HTTP, in front of one server of the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from webclient.auth import Principal, PrincipalKind
from webclient.domain.i18n import gettext as _
from webclient.gateway import Visit, server_at
from webclient.network import LOOP_HEADER, is_loop
from webclient.services import Services
from webclient.web.http import place_of


class AgentEndpoint:
    """Takes the requests of agents to one server, until their token is revoked."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        principal: Principal = connection.state.principal
        services = cast("Services", connection.app.state.services)
        servers = await services.store.of(principal.user_id).servers.all()
        if is_loop(connection.headers.get(LOOP_HEADER, "")):
            raise HTTPException(508, _("This address leads back to this program, which would call itself without end."))
        server = server_at(connection.path_params["server_id"], servers, principal.servers)
        if principal.kind is not PrincipalKind.PROGRAM:
            # A browser sends its cookie by itself, and an agent has a name that cards show.
            raise HTTPException(403, _("Agents send “Authorization: Bearer TOKEN”."), {"WWW-Authenticate": "Bearer"})
        place = place_of(connection)
        visit = Visit(
            token_id=principal.token_id or principal.way,
            label=principal.name or principal.way,
            server=server,
            patience=principal.patience,
            leave=place.leave,
        )
        if scope["method"] == "GET":
            # A stream for messages outside of calls, which may stay open for days.
            place.leave()
        watched = services.store.watched_sign_ins
        with watched.watching(principal.user_id, principal.sign_in, principal.ends_at) as watch:
            watch.when_ended(visit.ending.cancel)
            await services.gateway.serve(visit, scope, receive, send)


def routes() -> Sequence[BaseRoute]:
    """Return the routes of agents."""
    return [Route("/mcp/{server_id}", AgentEndpoint(), methods=["GET", "POST", "DELETE"])]
