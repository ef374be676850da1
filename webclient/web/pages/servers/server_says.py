"""A server's description of itself, in its own words; and the click that opens its website."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from webclient.content.links import Link, analyse
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Server
from webclient.servers.icons import Icon, icon_of
from webclient.web.http import ServerDep, ServicesDep, render
from webclient.web.pages.page_context import ServerRow
from webclient.web.pages.posted_form import PostedDep, first

router = APIRouter(prefix="/servers", include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSays:
    """A server's description of itself (MCP 2025-11-25, Implementation); no word of it is verified."""

    name: str
    title: str
    version: str
    description: str
    website: Link | None
    icon: Icon | None


def said_by(row: ServerRow) -> ServerSays | None:
    """Return what the row's server says about itself; None if it has not said anything."""
    info = row.status.server_info
    if not info:
        return None
    return ServerSays(
        name=_text(info.get("name")),
        title=_text(info.get("title")),
        version=_text(info.get("version")),
        description=_text(info.get("description")),
        website=_website(row.server, info),
        icon=icon_of(info, row.server.transport.get("url")),
    )


@router.post("/{server_id}/website")
async def open_website(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep
) -> HTMLResponse:
    """Continue to the server's website, unless it has changed or is blocked."""
    link = _website(server, services.connections.status(server.key).server_info or {})
    if link is None or link.href != first(posted, "href"):
        raise ConflictError(_("The server names another website now. Go back and look at it first."))
    if link.blocked:
        raise ConflictError(_("This link is blocked."))
    return render(http_request, "requests/opening.html", label=server.label, link=link)


def _website(server: Server, info: Json) -> Link | None:
    url = _text(info.get("websiteUrl"))
    return analyse(url, server_url=server.transport.get("url")) if url else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
