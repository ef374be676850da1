"""The API of servers: list, add, change, remove, connect, and their catalogs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query

from webclient.api.bodies import ServerBody, ServerPatch
from webclient.api.requests import shapes_of
from webclient.api.serialize import server_shape
from webclient.api.shapes import (
    ListShape,
    PromptsShape,
    RequestsShape,
    ResourcesShape,
    ResourceTemplatesShape,
    ServerShape,
    ServersShape,
    ToolsShape,
)
from webclient.http import PrincipalDep, ServicesDep, problems
from webclient.model import Catalog, Server
from webclient.services import Services

router = APIRouter(prefix="/servers", tags=["servers"])

Refresh = Annotated[bool, Query(description="Read the list from the server again, not from the cache.")]


@router.get("")
async def list_servers(services: ServicesDep, principal: PrincipalDep) -> ServersShape:
    """List the servers."""
    return {
        "servers": [_shape(services, server) for server in await services.store.of(principal.user_id).servers.all()]
    }


@router.post("", status_code=201, responses=problems(400, 403, 413, 415, 422))
async def add_server(body: ServerBody, services: ServicesDep, principal: PrincipalDep) -> ServerShape:
    """Add an http or sse server without connecting it."""
    transport = body.transport.as_transport()
    added = await services.servers.add(
        principal.user_id, label=body.label, transport=transport, era=body.era, modes=body.modes
    )
    return _shape(services, await services.servers.mute(added) if body.muted else added)


@router.get("/{server_id}", responses=problems(404))
async def get_server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> ServerShape:
    """Get a server."""
    return _shape(services, await services.store.of(principal.user_id).servers.get(server_id))


@router.patch("/{server_id}", responses=problems(400, 404, 413, 415, 422))
async def change_server(
    server_id: str, body: ServerPatch, services: ServicesDep, principal: PrincipalDep
) -> ServerShape:
    """Change a server; it is reconnected if necessary. Muting cancels its waiting questions."""
    given = body.model_dump(exclude_none=True, exclude={"muted"})
    server = await services.store.of(principal.user_id).servers.get(server_id)
    changed = replace(server, **given)
    if changed != server:
        await services.servers.change(changed)
    if body.muted is not None:
        turn = services.servers.mute if body.muted else services.servers.unmute
        changed = await turn(changed)
    return _shape(services, changed)


@router.post("/{server_id}/decline-all", responses=problems(404))
async def decline_all(server_id: str, services: ServicesDep, principal: PrincipalDep) -> RequestsShape:
    """Decline all waiting questions from a server, and return them."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    return await shapes_of(services, principal.user_id, await services.inbox.decline_all(principal.user_id, server.id))


@router.delete("/{server_id}", status_code=204, responses=problems(404))
async def remove_server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> None:
    """Disconnect and remove a server."""
    await services.servers.remove(await services.store.of(principal.user_id).servers.get(server_id))


@router.post("/{server_id}/connect", status_code=202, responses=problems(404))
async def connect_server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> ServerShape:
    """Start connecting a server; a connected server stays as it is."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    services.connections.connect(server)
    return _shape(services, server)


@router.post("/{server_id}/disconnect", responses=problems(404))
async def disconnect_server(server_id: str, services: ServicesDep, principal: PrincipalDep) -> ServerShape:
    """Disconnect a server; its open calls and questions are interrupted."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    await services.connections.disconnect(server)
    return _shape(services, server)


@router.get("/{server_id}/tools", responses=problems(404, 409, 422))
async def list_tools(
    server_id: str, services: ServicesDep, principal: PrincipalDep, refresh: Refresh = False
) -> ToolsShape:
    """List the tools of a connected server, verbatim."""
    catalog = await _catalog(services, principal.user_id, server_id, refresh=refresh)
    return {"tools": catalog.tools, **_notes(catalog)}


@router.get("/{server_id}/prompts", responses=problems(404, 409, 422))
async def list_prompts(
    server_id: str, services: ServicesDep, principal: PrincipalDep, refresh: Refresh = False
) -> PromptsShape:
    """List the prompts of a connected server, verbatim."""
    catalog = await _catalog(services, principal.user_id, server_id, refresh=refresh)
    return {"prompts": catalog.prompts, **_notes(catalog)}


@router.get("/{server_id}/resources", responses=problems(404, 409, 422))
async def list_resources(
    server_id: str, services: ServicesDep, principal: PrincipalDep, refresh: Refresh = False
) -> ResourcesShape:
    """List the resources of a connected server, verbatim."""
    catalog = await _catalog(services, principal.user_id, server_id, refresh=refresh)
    return {"resources": catalog.resources, **_notes(catalog)}


@router.get("/{server_id}/resource-templates", responses=problems(404, 409, 422))
async def list_resource_templates(
    server_id: str, services: ServicesDep, principal: PrincipalDep, refresh: Refresh = False
) -> ResourceTemplatesShape:
    """List the resource templates of a connected server, verbatim."""
    catalog = await _catalog(services, principal.user_id, server_id, refresh=refresh)
    return {"resource_templates": catalog.resource_templates, **_notes(catalog)}


async def _catalog(services: Services, user_id: str, server_id: str, *, refresh: bool) -> Catalog:
    return await services.connections.catalog(await services.store.of(user_id).servers.get(server_id), refresh=refresh)


def _notes(catalog: Catalog) -> ListShape:
    return {"notes": catalog.notes} if catalog.notes else {}


def _shape(services: Services, server: Server) -> ServerShape:
    return server_shape(server, services.connections.status(server.id))
