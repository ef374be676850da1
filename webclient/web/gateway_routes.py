"""The addresses of agents: `/mcp/{server_id}` is one server of the user over streamable HTTP, `/mcp` all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from webclient.auth import METADATA_PATH, OIDC, Principal, PrincipalKind, resource_metadata
from webclient.domain.i18n import gettext as _
from webclient.gateway import JointVisit, permitted_of, server_at
from webclient.network import LOOP_HEADER, is_loop
from webclient.services import Services
from webclient.web.http import place_of


class AgentEndpoint:
    """Takes the requests of agents, until their token is revoked."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        principal: Principal = connection.state.principal
        services = cast("Services", connection.app.state.services)
        theirs = permitted_of(await services.store.of(principal.user_id).servers.all(), principal.servers)
        if is_loop(connection.headers.get(LOOP_HEADER, "")):
            raise HTTPException(508, _("This address leads back to this program, which would call itself without end."))
        given = connection.path_params.get("server_id")
        server = None if given is None else server_at(given, theirs)
        if principal.kind is not PrincipalKind.PROGRAM:
            # A browser sends its cookie by itself, and an agent has a name that cards show.
            raise HTTPException(403, _("Agents send “Authorization: Bearer TOKEN”."), {"WWW-Authenticate": "Bearer"})
        place = place_of(connection)
        together = JointVisit(
            user_id=principal.user_id,
            token_id=principal.agent_id or principal.token_id or principal.way,
            label=principal.name or principal.way,
            servers=theirs,
            permitted=principal.servers,
            patience=principal.patience,
            learned=principal.learned_patience,
            ends_at=principal.ends_at,
            sign_in=principal.sign_in,
            passes_on=principal.passes_on,
            leave=place.leave,
        )
        visit = together.at(server, joint=False) if server else together
        if scope["method"] == "GET":
            # A stream for messages outside of calls, which may stay open for days.
            place.leave()
        watched = services.store.watched_sign_ins
        with watched.watching(principal.user_id, principal.sign_in, principal.ends_at) as watch:
            watch.when_ended(visit.ending.cancel)
            await services.gateway.serve(visit, scope, receive, send)


async def describe(request: Request) -> Response:
    """Answer how agents sign in by themselves; for each name the same, so that nothing is said of servers."""
    settings = cast("Services", request.app.state.services).settings
    if OIDC not in settings.identity:
        raise HTTPException(404)
    path = request.scope["path"].removeprefix(METADATA_PATH)
    return JSONResponse(resource_metadata(request, settings, path))


def routes() -> Sequence[BaseRoute]:
    """Return the routes of agents."""
    paths = ("/mcp", "/mcp/{server_id}")
    return [
        *(Route(path, AgentEndpoint(), methods=["GET", "POST", "DELETE"]) for path in paths),
        *(Route(f"{METADATA_PATH}{path}", describe, methods=["GET"]) for path in paths),
    ]
