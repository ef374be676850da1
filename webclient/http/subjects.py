"""The server, call or input request that the path of a route names; one of another user is not found (404)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from webclient.http.context import PrincipalDep, ServicesDep
from webclient.model import Call, InputRequest, Server


async def _server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Server:
    return await services.store.of(principal.user_id).servers.get(server_id)


async def _call(call_id: str, services: ServicesDep, principal: PrincipalDep) -> Call:
    return await services.store.of(principal.user_id).calls.get(call_id)


async def _request(request_id: str, services: ServicesDep, principal: PrincipalDep) -> InputRequest:
    return await services.store.of(principal.user_id).requests.get(request_id)


# Dependencies run in the order of a route's parameters: name these after everything that must be read before the row.
ServerDep = Annotated[Server, Depends(_server)]
CallDep = Annotated[Call, Depends(_call)]
RequestDep = Annotated[InputRequest, Depends(_request)]
