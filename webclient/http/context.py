"""What every route of the API gets: the services, the signed-in user, and the problems that it may answer with."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Request

from webclient.services import Services


def _services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


def _user_id(request: Request) -> str:
    return str(request.state.user_id)


ServicesOf = Annotated[Services, Depends(_services)]
UserId = Annotated[str, Depends(_user_id)]


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
