"""The API for gateways of others: may this tool call be passed on? 200 is yes, and 403 no, with an error of JSON-RPC.

A gateway puts this address before the one that it was sent, so all behind the name of the server belongs to the agent.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.responses import Response

from webclient.auth import Principal
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, Json
from webclient.gateway import UNKNOWN, Denial, ForeignCall, UnclearMessageError, Visitor, read_message
from webclient.inbox import Asker
from webclient.services import Services
from webclient.support.standard_json import dumps
from webclient.web.api.asking import asker_of
from webclient.web.http import PlaceDep, PrincipalDep, ServicesDep, StreamClientDep, problems

router = APIRouter(prefix="/authorize", tags=["authorizer"])

NOT_AUTHORIZED = -32050
"""The code of the error: one of those that JSON-RPC leaves to servers, and none of MCP."""

SHARE = 0.8
"""The part of a gateway's time after which it gets an answer."""

LONGEST = 600.0
"""The most seconds that a gateway waits."""

_ADDRESSES = ("/{server}", "/{server}/{rest:path}")

_TIMEOUT = "x-envoy-expected-rq-timeout-ms"
_PARTIAL = "x-envoy-auth-partial-body"
"""Headers of Envoy: for how long it waits, and whether the body is cut off."""


_PLACE = "The name of the MCP server, as the gateway's configuration has it: a label here, or any other."

_BODY: Json = {
    "required": True,
    "description": "A message of MCP, whole and not compressed.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}

_REST: Json = {
    "name": "rest",
    "in": "path",
    "required": True,
    "description": "The path of the request, which is ignored.",
    "schema": {"type": "string"},
}


class DenialData(BaseModel):
    """The reason for programs, and after how many seconds the same call may be sent again."""

    state: Literal["pending", "rejected", "undecided", "refused"]
    retryAfter: int | None = None  # noqa: N815  (as JSON-RPC errors of MCP write their keys)


class DenialError(BaseModel):
    """An error of JSON-RPC; `message` is for the model."""

    code: Literal[-32050]
    message: str
    data: DenialData


class DenialShape(BaseModel):
    """The reason why the gateway may not pass the message on."""

    jsonrpc: Literal["2.0"]
    id: str | int | None
    error: DenialError


def _responses() -> dict[int | str, dict[str, Any]]:
    described = problems(403, 404, 413, 415, 503)
    described[403]["description"] = "The message may not be passed on, or the token may not ask."
    return {200: {"description": "The message may be passed on.", "content": {}}, **described}


async def decide(
    server: Annotated[str, Path(description=_PLACE)],
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    client: StreamClientDep,
    place: PlaceDep,
) -> Response:
    """Decide on a message to an MCP server: a tool call by the rules of the user; all others pass."""
    try:
        call = await _call_in(http_request)
    except UnclearMessageError as error:
        return _denied(Denial(words=str(error), state="refused"), None)
    if call is None:
        return Response()

    async def wait(work: Awaitable[InputRequest]) -> InputRequest:
        async with place.aside():
            return await client.unless_signed_out(work)

    async def is_here() -> bool:
        return client.is_signed_in and not await http_request.is_disconnected()

    visitor = Visitor(
        asker=await _asker(services, principal),
        server=server,
        seconds=_seconds(principal, http_request.headers.get(_TIMEOUT, "")),
        wait=wait,
        is_here=is_here,
    )
    denial = await services.authorizer.denial(visitor, call)
    return _denied(denial, call.id) if denial else Response()


async def pass_on(server: Annotated[str, Path(description=_PLACE)]) -> Response:
    """Let a stream open, or a session end: neither calls a tool."""
    del server
    return Response()


for _address in _ADDRESSES:
    _rest: Json = {"parameters": [_REST]} if "rest" in _address else {}
    router.add_api_route(
        _address,
        decide,
        methods=["POST"],
        response_class=Response,
        responses={**_responses(), 403: _responses()[403] | {"model": DenialShape}},
        openapi_extra={"requestBody": _BODY, **_rest},
    )
    for _method in ("GET", "DELETE"):
        router.add_api_route(
            _address,
            pass_on,
            methods=[_method],
            response_class=Response,
            responses=_responses(),
            openapi_extra=_rest,
        )


async def _asker(services: Services, principal: Principal) -> Asker:
    try:
        return await asker_of(services, principal, principal.user_id)
    except NotFoundError:
        # A header names the user: the token is that of an administrator.
        return Asker(
            user_id=principal.user_id,
            id=principal.asker_id,
            label=principal.name or principal.way,
            token_id=principal.token_id,
            made_by=_("An administrator"),
        )


async def _call_in(http_request: Request) -> ForeignCall | None:
    """Return the tool call in a request. Raises UnclearMessageError, also if the body is not here as it was sent."""
    headers = http_request.headers
    if headers.get("content-encoding") or headers.get(_PARTIAL, "false") != "false":
        raise UnclearMessageError(_("The body is compressed, or was cut off by the gateway."))
    return read_message(await http_request.body())


def _seconds(principal: Principal, milliseconds: str) -> float:
    """Return how long the gateway waits: as the user says of its token, and as it says itself, whichever is less."""
    said = SHARE * int(milliseconds) / 1000 if milliseconds.isdecimal() else None
    known = [each for each in (principal.patience, said) if each]
    return min(LONGEST, *known) if known else UNKNOWN


def _denied(denial: Denial, call_id: str | int | None) -> Response:
    again = {} if denial.retry_after is None else {"Retry-After": str(denial.retry_after)}
    data = {"state": denial.state} | ({} if denial.retry_after is None else {"retryAfter": denial.retry_after})
    error = {"code": NOT_AUTHORIZED, "message": denial.words, "data": data}
    body = dumps({"jsonrpc": "2.0", "id": call_id, "error": error})
    return Response(body, 403, headers=again, media_type="application/json")
