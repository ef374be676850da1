"""The dependencies of every route: the services, the principal, and the problem documents of the API."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Request

from webclient.auth import HostSessions, Identity, Principal
from webclient.domain.errors import ForbiddenError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Trace, read_trace
from webclient.servers.configuration import Configuration
from webclient.services import Services
from webclient.web.http.security.lines import Place, place_of
from webclient.web.http.server_rights import may_add_servers


# Coroutines: FastAPI runs each function that is none in a thread, which takes longer than the function.
async def _services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


async def _identity(request: Request) -> Identity:
    return cast("Identity", request.app.state.identity)


async def _principal(request: Request) -> Principal:
    return cast("Principal", request.state.principal)


async def _place(request: Request) -> Place:
    return place_of(request)


async def _trace(request: Request) -> Trace | None:
    return read_trace(request.headers)


async def _host_sessions(request: Request) -> HostSessions:
    host: HostSessions | None = request.app.state.host_sessions
    if host is None:
        raise NotFoundError(_("No application may embed this program: it was started without --embedders."))
    return host


HostSessionsDep = Annotated[HostSessions, Depends(_host_sessions)]


async def _configuration(request: Request) -> Configuration:
    return cast("Configuration", request.app.state.configuration)


ConfigurationDep = Annotated[Configuration, Depends(_configuration)]


async def check_may_add_servers() -> None:
    """Refuse a principal who may not add servers. Raises ForbiddenError."""
    # An address that a user gives is fetched from here, inside of the company's network.
    if not may_add_servers():
        raise ForbiddenError(_("Only an administrator adds servers here, or changes their addresses. Ask one of them."))


MayAddServers = Depends(check_may_add_servers)
"""Refuses a principal who may not add servers."""

ServicesDep = Annotated[Services, Depends(_services)]
IdentityDep = Annotated[Identity, Depends(_identity)]
PrincipalDep = Annotated[Principal, Depends(_principal)]
TraceDep = Annotated[Trace | None, Depends(_trace)]
"""The trace that the request is part of, if its sender or a proxy has named one."""
PlaceDep = Annotated[Place, Depends(_place)]
"""The place of the request among those that are handled for its user; leave it while nothing is done."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the problem documents of a route for OpenAPI."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemShape"}}}
    return {status: {"description": _MEANINGS[status], "content": content} for status in statuses}


_MEANINGS = {
    400: "The body is not JSON.",
    401: "Not signed in.",
    403: "Not allowed through the API.",
    404: "Not found, or it belongs to another user.",
    409: "Not possible in the current state.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    429: "Too many requests or questions; try again later.",
    422: "Invalid values; `errors` has a sentence for each field.",
    503: "The database cannot be used now, or a limit of this program was reached; try again later.",
    507: "Nothing was done because the disk is full; `detail` says more.",
}
