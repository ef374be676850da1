"""The API of servers: list, add, change, remove, connect; their catalogs, tasks and followed resources."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Catalog, Extension, PendingSignIn, Reason, ReasonCode, Server
from webclient.servers.connections import checked_settings
from webclient.services import Services
from webclient.web.api.call_shapes import CallLogShape, CallShape, TaskShape, call_shape
from webclient.web.api.request_shapes import RequestsShape
from webclient.web.api.requests import shapes_of
from webclient.web.api.server_bodies import ServerBody, ServerPatch, TaskBody
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
from webclient.web.api.shapes import Maybe, Moment, Shape
from webclient.web.http import MayAddServers, PrincipalDep, ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers", tags=["servers"])

Refresh = Annotated[bool, Query(description="Read the list from the server again, not from the cache.")]


class ResourceUpdateShape(Shape):
    """A change that the server reported: of the followed resource, or of one below it (`uri`)."""

    at: Moment
    uri: str


class FollowedShape(Shape):
    """A followed resource with its newest changes, newest first, and the number of those `omitted`.

    `since` is present while the server reports changes, `error` (its words) if it refuses to.
    """

    uri: str
    since: Maybe[Moment] = None
    error: Maybe[str] = None
    updates: list[ResourceUpdateShape]
    omitted: int


class FollowedShapes(Shape):
    """The followed resources of a server."""

    followed: list[FollowedShape]


class ListedTaskShape(TaskShape):
    """A task that a server lists; `call_id` is the newest call here that follows it or did."""

    call_id: Maybe[str] = None


class TasksShape(Shape):
    """The tasks of a server."""

    tasks: list[ListedTaskShape]


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
    oauth = None if body.oauth is None else checked_settings(body.oauth, stored=server.oauth)
    if body.headers is not None and (server.lost or body.headers != server.transport.get("headers", {})):
        # First, because it may be refused; then nothing is changed.
        server = await services.servers.move(server, {**server.transport, "headers": body.headers})
    if oauth is not None:
        server = await services.servers.change_oauth(server, oauth)
    if "roots" in body.model_fields_set:
        roots = None if body.roots is None else [each.as_root for each in body.roots]
        server = await services.servers.share_roots(server, roots)
    others = {"muted", "headers", "oauth", "sampling", "roots", "extensions"}
    changed = replace(server, **body.model_dump(exclude_none=True, exclude=others))
    if body.extensions is not None:
        changed = replace(changed, extensions_off=tuple(each for each in Extension if each not in body.extensions))
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


@router.get("/{server_id}/tasks", responses=problems(404, 409))
async def list_tasks(services: ServicesDep, server: ServerDep) -> TasksShape:
    """List the tasks that the server has for the user; 409 if it does not list them."""
    listed = await services.server_tasks.list(server)
    return TasksShape(
        tasks=[ListedTaskShape.of(each.task, call_id=each.call.id if each.call else None) for each in listed]
    )


@router.post("/{server_id}/tasks", status_code=202, responses=problems(400, 404, 409, 413, 415, 422))
async def take_up_task(services: ServicesDep, server: ServerDep, body: TaskBody) -> CallShape:
    """Follow a task as a call, whose questions come to the inbox; a task that a call follows already gives that one.

    The name of the call is the ID of the task, since the server does not say which tool it runs.
    """
    call = await services.server_tasks.take_up(server, body.task_id)
    return call_shape(call, cursor=services.calls.cursor(call.id))


@router.get("/{server_id}/followed", responses=problems(404))
async def list_followed(services: ServicesDep, server: ServerDep) -> FollowedShapes:
    """List the followed resources of a server, with their newest changes first."""
    found = [services.connections.followed(server, uri) for uri in server.followed]
    return FollowedShapes(followed=[FollowedShape.of(each) for each in found])


def _shape(services: Services, server: Server) -> ServerShape:
    return server_shape(server, services.connections.status(server.key), services.sign_ins.auth_of(server.key))


def _wanted(services: Services, server: Server) -> PendingSignIn:
    """Return the sign-in that a server wants. Raises NotFoundError."""
    wanted = services.sign_ins.auth_of(server.key).wanted
    if wanted is None:
        raise NotFoundError(Reason(ReasonCode.SIGN_IN_UNKNOWN))
    return wanted
