"""The API of followed resources: what a server has said of their changes."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.domain.model import FollowedResource
from webclient.web.api.following_shapes import FollowedShape, FollowedShapes
from webclient.web.api.serialize import moment_text
from webclient.web.http import ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers/{server_id}/followed", tags=["servers"])


@router.get("", responses=problems(404))
async def list_followed(services: ServicesDep, server: ServerDep) -> FollowedShapes:
    """List the followed resources of a server, with their newest changes first."""
    return {"followed": [_shape(services.connections.followed(server, uri)) for uri in server.followed]}


def _shape(resource: FollowedResource) -> FollowedShape:
    shape: FollowedShape = {
        "uri": resource.uri,
        "updates": [{"at": moment_text(update.at), "uri": update.uri} for update in resource.updates],
        "omitted": resource.omitted,
    }
    if resource.since:
        shape["since"] = moment_text(resource.since)
    if resource.error is not None:
        shape["error"] = resource.error
    return shape
