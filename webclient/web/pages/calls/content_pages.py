"""Serves the blocks of a result: redrawn pictures, sounds, downloads, and links that can be read.

Nothing from a server is served in a type that browsers run: only our own images, sounds and files.
"""

from __future__ import annotations

import json
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from webclient.content.pictures import ICON_BOX, RESULT_BOX, Drawn, PictureRefusal
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, CallKind, Json, Server, ServerKey, ServerState, Via
from webclient.servers.icons import icon_of
from webclient.services import Services
from webclient.web.http import CallDep, ServerDep, ServicesDep, TraceDep
from webclient.web.pages.calls.contents import Content, Kind, read_contents

router = APIRouter(include_in_schema=False)

SVG = "image/svg+xml"

SERVER = "server"
"""The place of a server's own icon, beside the positions of its catalog."""


@router.get("/calls/{call_id}/contents/{number}/picture")
async def show_picture(number: int, services: ServicesDep, call: CallDep) -> Response:
    """Serve a picture of the result as redrawn here, or 422 with a sentence."""
    content = _content(call, number, "picture")
    return await served_picture(services, call.server_key, content.data, content.media_type)


@router.get("/calls/{call_id}/contents/{number}/sound")
async def play_sound(number: int, call: CallDep) -> Response:
    """Serve a sound of the result in a type that browsers play."""
    content = _content(call, number, "sound")
    return Response(content.data, media_type=content.media_type)


@router.get("/calls/{call_id}/contents/{number}/download")
async def download_content(number: int, call: CallDep) -> Response:
    """Serve a block of the result as a file, byte for byte."""
    content = _content(call, number)
    if content.size is None:
        raise NotFoundError(_("This content cannot be downloaded."))
    return download(content.data, content.file_name)


@router.get("/calls/{call_id}/result.json")
async def download_result(call: CallDep) -> Response:
    """Serve the whole result as the server sent it, as a file."""
    if call.result is None:
        raise NotFoundError(_("This call has no result."))
    return download(json.dumps(call.result, indent=2).encode(), "result.json")


@router.post("/calls/{call_id}/contents/{number}/read")
async def read_link(number: int, services: ServicesDep, call: CallDep, trace: TraceDep) -> Response:
    """Start a call that reads the resource which a result links to; its URI is not posted.

    The server need not list the resource (MCP 2025-11-25, Tools, Resource Links).
    """
    content = _content(call, number, "link")
    server = await services.store.of(call.user_id).servers.get(call.server_id)
    read = await services.calls.start(
        call.user_id, server, kind=CallKind.RESOURCE, name=content.uri, via=Via.PAGE, trace=trace
    )
    return RedirectResponse(f"/calls/{read.id}", status_code=303)


@router.get("/servers/{server_id}/icons/{place}")
async def show_icon(place: str, services: ServicesDep, server: ServerDep, of: str = "") -> Response:
    """Serve an icon as redrawn here; 404 if it has changed."""
    found = icon_of(_item(services, server, place), server.transport.get("url"))
    if found is None or found.digest != of:
        raise NotFoundError(_("This icon no longer exists."))
    is_connected = services.connections.status(server.key).state is ServerState.CONNECTED
    picture = await services.icons.picture(server, found, may_fetch=is_connected)
    if picture is None:
        return PlainTextResponse(why(PictureRefusal.UNREADABLE), status_code=422)
    return _served(await services.pictures.draw(server.key, picture.data, ICON_BOX, vector=picture.is_vector))


def _content(call: Call, number: int, kind: Kind | None = None) -> Content:
    contents = read_contents(call.result)
    if not 0 <= number < len(contents) or kind not in (None, contents[number].kind):
        raise NotFoundError(_("This call has no such content."))
    return contents[number]


async def served_picture(services: Services, server_key: ServerKey, data: bytes, media_type: str) -> Response:
    """Return a picture that a server sent as redrawn here, or 422 with a sentence."""
    return _served(await services.pictures.draw(server_key, data, RESULT_BOX, vector=media_type == SVG))


def _served(drawn: Drawn | PictureRefusal) -> Response:
    if isinstance(drawn, Drawn):
        return Response(drawn.data, media_type=drawn.media_type)
    return PlainTextResponse(why(drawn), status_code=422)


def why(refusal: PictureRefusal) -> str:
    """Return the sentence on why a picture is not shown."""
    return {
        PictureRefusal.UNREADABLE: _("Picture not shown: it is damaged or in an unknown format."),
        PictureRefusal.LARGE: _("Picture not shown: it is too large."),
        PictureRefusal.COSTLY: _("Picture not shown: it takes too long to draw."),
        PictureRefusal.PENALTY: _("Picture not shown: several others from this server took too long to draw."),
        PictureRefusal.BUSY: _("Picture not shown: too many others are being drawn. Reload the page in a moment."),
    }[refusal]


def _item(services: Services, server: Server, place: str) -> Json:
    """Return what the server says of itself, or the entry of its catalog at a position such as `tool-3`."""
    if place == SERVER:
        return services.connections.status(server.key).server_info or {}
    catalog = services.connections.last_catalog(server.key)
    kind, _dash, index = place.partition("-")
    lists = {
        "tool": catalog.tools,
        "prompt": catalog.prompts,
        "resource": catalog.resources,
        "template": catalog.resource_templates,
    }
    items = lists.get(kind, [])
    number = int(index) if index.isascii() and index.isdigit() and len(index) < 9 else -1
    return items[number] if 0 <= number < len(items) else {}


def download(data: bytes, name: str) -> Response:
    """Return bytes as a file that a browser saves and never opens."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type="application/octet-stream", headers={"Content-Disposition": disposition})
