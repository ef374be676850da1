"""The API of followed resources: what a server has said of their changes."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.web.api.shapes import Maybe, Moment, Shape
from webclient.web.http import ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers/{server_id}/followed", tags=["servers"])


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


@router.get("", responses=problems(404))
async def list_followed(services: ServicesDep, server: ServerDep) -> FollowedShapes:
    """List the followed resources of a server, with their newest changes first."""
    found = [services.connections.followed(server, uri) for uri in server.followed]
    return FollowedShapes(followed=[FollowedShape.of(each) for each in found])
