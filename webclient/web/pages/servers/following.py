"""Following a resource: what its page shows of its changes, and the actions that begin and end it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from webclient.domain.i18n import gettext as _
from webclient.domain.model import FollowedResource, Server, ServerState
from webclient.servers.connections import following, not_following, notifies_of_updates
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, redirect
from webclient.web.pages.page_context import ServerRow
from webclient.web.pages.posted_form import PostedDep, posted_name
from webclient.web.pages.servers.catalog_entries import Kind, path_of

router = APIRouter(prefix="/servers", include_in_schema=False)

State = Literal["none", "following", "asking", "away", "refused", "unsupported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowView:
    """The changes of a resource on its page; `resource` is None if the user does not follow it.

    `is_declared`: the server declares that it notifies of changes.
    """

    server_id: str
    uri: str
    resource: FollowedResource | None
    is_connected: bool
    is_declared: bool

    @property
    def state(self) -> State:
        """How it stands: "asking" until the server has answered, "away" without a connection."""
        match self.resource:
            case None:
                return "none"
            case _ if not self.is_connected:
                return "away"
            case _ if not self.is_declared:
                return "unsupported"
            case FollowedResource(error=str()):
                return "refused"
            case FollowedResource(since=None):
                return "asking"
        return "following"


def follow_view(services: Services, row: ServerRow, kind: Kind, uri: str) -> FollowView | None:
    """Return what is shown of a resource's changes; None if it is not followed and its server notifies of none."""
    server = row.server
    is_declared = notifies_of_updates(row.status.capabilities)
    if kind != "resource" or not uri or not (is_declared or uri in server.followed):
        return None
    return FollowView(
        server_id=server.id,
        uri=uri,
        resource=services.connections.followed(server, uri) if uri in server.followed else None,
        is_connected=row.status.state is ServerState.CONNECTED,
        is_declared=is_declared,
    )


@router.post("/{server_id}/follow")
async def follow_resource(services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Follow the changes of a resource."""
    uri = posted_name(posted)
    await services.servers.change(following(server, uri))
    return _back(server, uri, _("You follow this resource."))


@router.post("/{server_id}/unfollow")
async def unfollow_resource(services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Stop following the changes of a resource."""
    uri = posted_name(posted)
    await services.servers.change(not_following(server, uri))
    return _back(server, uri, _("You no longer follow this resource."))


def _back(server: Server, uri: str, said: str) -> Response:
    return redirect(f"/servers/{server.id}/{path_of('resource', uri)}", said)
