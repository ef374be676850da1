"""The dependencies of every route: the services, the principal, and the problem documents of the API."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Request

from webclient.identity import Identity, Principal
from webclient.services import Services


def _services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


def _identity(request: Request) -> Identity:
    return cast("Identity", request.app.state.identity)


def _principal(request: Request) -> Principal:
    return cast("Principal", request.state.principal)


ServicesDep = Annotated[Services, Depends(_services)]
IdentityDep = Annotated[Identity, Depends(_identity)]
PrincipalDep = Annotated[Principal, Depends(_principal)]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of the problem documents that a route may answer with."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemShape"}}}
    return {status: {"description": _MEANINGS[status], "content": content} for status in statuses}


_MEANINGS = {
    400: "The body is not JSON.",
    401: "Not signed in.",
    403: "Not allowed from here.",
    404: "No such thing, or not yours.",
    409: "It does not fit the state that the thing is in.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "What was given does not fit; `errors` says where.",
    503: "A limit of this program is reached.",
    507: "It could not be stored, so it was not done; `detail` says why.",
}
