"""The API of servers: list, add, change, remove, connect, and their catalogs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Catalog, PendingSignIn, Reason, ReasonCode, Server
from webclient.servers.connections import checked_settings
from webclient.services import Services
from webclient.web.api.bodies import ServerBody, ServerPatch
from webclient.web.api.call_shapes import CallLogShape
from webclient.web.api.request_shapes import RequestsShape
from webclient.web.api.requests import shapes_of
from webclient.web.api.server_shapes import (
    PromptsShape,
    ResourcesShape,
    ResourceTemplatesShape,
    ServerShape,
    ServersShape,
    ToolsShape,
    notes_of,
    server_shape,
)
from webclient.web.http import MayAddServers, PrincipalDep, ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers", tags=["servers"])

Refresh = Annotated[bool, Query(description="Read the list from the server again, not from the cache.")]


async def _catalog(services: ServicesDep, server: ServerDep, refresh: Refresh = False) -> Catalog:
    return await services.connections.catalog(server, refresh=refresh)


CatalogDep = Annotated[Catalog, Depends(_catalog)]


@router.get("")
async def list_servers(services: ServicesDep, principal: PrincipalDep) -> ServersShape:
    """List the servers."""
    found = await services.store.of(principal.user_id).servers.all()
    return ServersShape(servers=[_shape(services, server) for server in found])


@router.post("", status_code=201, dependencies=[MayAddServers], responses=problems(400, 403, 413, 415, 422))
async def add_server(body: ServerBody, services: ServicesDep, principal: PrincipalDep) -> ServerShape:
    """Add an http or sse server without connecting it."""
    transport = body.transport.as_transport()
    added = await services.servers.add(
        principal.user_id,
        label=body.label,
        transport=transport,
        era=body.era,
        modes=body.modes,
        oauth=body.oauth,
        roots=None if body.roots is None else [each.as_root for each in body.roots],
    )
    return _shape(services, await services.servers.mute(added) if body.muted else added)


@router.get("/{server_id}", responses=problems(404))
async def get_server(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Get a server."""
    return _shape(services, server)


@router.patch("/{server_id}", responses=problems(400, 403, 404, 409, 413, 415, 422))
async def change_server(body: ServerPatch, services: ServicesDep, server: ServerDep) -> ServerShape:
    """Change a server; it is reconnected if necessary. Muting cancels its waiting questions."""
    oauth = None if body.oauth is None else checked_settings(body.oauth)
    if body.headers is not None and (server.lost or body.headers != server.transport.get("headers", {})):
        # First, because it may be refused; then nothing is changed.
        server = await services.servers.move(server, {**server.transport, "headers": body.headers})
    if oauth is not None:
        server = await services.servers.change_oauth(server, oauth)
    if "roots" in body.model_fields_set:
        roots = None if body.roots is None else [each.as_root for each in body.roots]
        server = await services.servers.share_roots(server, roots)
    others = {"muted", "headers", "oauth", "sampling", "roots"}
    changed = replace(server, **body.model_dump(exclude_none=True, exclude=others))
    if body.sampling is not None:
        changed = replace(changed, sampling=body.sampling.as_rule(changed.sampling))
    if changed != server:
        await services.servers.change(changed)
    if body.muted is not None:
        turn = services.servers.mute if body.muted else services.servers.unmute
        changed = await turn(changed)
    return _shape(services, changed)


@router.post("/{server_id}/decline-all", responses=problems(404))
async def decline_all(services: ServicesDep, server: ServerDep) -> RequestsShape:
    """Decline all waiting questions from a server, and return them."""
    return await shapes_of(services, server.user_id, await services.inbox.decline_all(server.user_id, server.id))


@router.delete("/{server_id}", status_code=204, responses=problems(404))
async def remove_server(services: ServicesDep, server: ServerDep) -> None:
    """Disconnect and remove a server."""
    await services.servers.remove(server)


@router.post("/{server_id}/connect", status_code=202, responses=problems(404))
async def connect_server(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Start connecting a server; a connected server stays as it is."""
    await services.servers.connect(server)
    return _shape(services, server)


@router.post("/{server_id}/disconnect", responses=problems(404))
async def disconnect_server(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Disconnect a server; its open calls and questions are interrupted."""
    await services.servers.disconnect(server)
    return _shape(services, server)


@router.post("/{server_id}/sign-in", status_code=202, responses=problems(404, 409))
async def sign_in(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Begin a sign-in to a server; `auth` or `auth_error` follow, and it is connected once that is completed."""
    await services.servers.sign_in(server)
    return _shape(services, server)


@router.delete("/{server_id}/sign-in", responses=problems(404))
async def dismiss_sign_in(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Dismiss the sign-in that a server wants; calls that wait for it fail. 404 if it wants none."""
    await services.sign_ins.cancel(server.user_id, _wanted(services, server).id)
    return _shape(services, server)


@router.post("/{server_id}/sign-in/register", responses=problems(404, 409))
async def register_again(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Register again for the sign-in that a server wants: the authorization server may have forgotten the client.

    `auth` has another `authorization_url` then, and calls go on waiting. 404 if no sign-in is wanted, 409 if the client
    was not registered by this program, or cannot be now.
    """
    await services.sign_ins.register_again(server.user_id, _wanted(services, server).id)
    return _shape(services, server)


@router.post("/{server_id}/sign-out", responses=problems(404, 409))
async def sign_out(services: ServicesDep, server: ServerDep) -> ServerShape:
    """Disconnect a server, delete its tokens and revoke them."""
    await services.servers.sign_out(server)
    return _shape(services, server)


@router.get("/{server_id}/tools", responses=problems(404, 409, 422))
async def list_tools(catalog: CatalogDep) -> ToolsShape:
    """List the tools of a connected server, verbatim."""
    return ToolsShape(tools=catalog.tools, notes=notes_of(catalog))


@router.get("/{server_id}/prompts", responses=problems(404, 409, 422))
async def list_prompts(catalog: CatalogDep) -> PromptsShape:
    """List the prompts of a connected server, verbatim."""
    return PromptsShape(prompts=catalog.prompts, notes=notes_of(catalog))


@router.get("/{server_id}/resources", responses=problems(404, 409, 422))
async def list_resources(catalog: CatalogDep) -> ResourcesShape:
    """List the resources of a connected server, verbatim."""
    return ResourcesShape(resources=catalog.resources, notes=notes_of(catalog))


@router.get("/{server_id}/resource-templates", responses=problems(404, 409, 422))
async def list_resource_templates(catalog: CatalogDep) -> ResourceTemplatesShape:
    """List the resource templates of a connected server, verbatim."""
    return ResourceTemplatesShape(resource_templates=catalog.resource_templates, notes=notes_of(catalog))


@router.get("/{server_id}/messages", responses=problems(404))
async def list_messages(services: ServicesDep, server: ServerDep) -> CallLogShape:
    """List the newest log messages of a connected server, oldest first."""
    return CallLogShape.of(services.connections.messages(server))


def _shape(services: Services, server: Server) -> ServerShape:
    return server_shape(server, services.connections.status(server.key), services.sign_ins.auth_of(server.key))


def _wanted(services: Services, server: Server) -> PendingSignIn:
    """Return the sign-in that a server wants. Raises NotFoundError."""
    wanted = services.sign_ins.auth_of(server.key).wanted
    if wanted is None:
        raise NotFoundError(Reason(ReasonCode.SIGN_IN_UNKNOWN))
    return wanted
