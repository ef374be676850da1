"""Serves the blocks of a result: redrawn pictures, sounds, downloads, and links that can be read.

Nothing from a server is served in a type that browsers run: only our own images, sounds and files.
"""

from __future__ import annotations

import json
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from webclient.errors import NotFoundError
from webclient.http import PrincipalDep, ServicesDep
from webclient.i18n import gettext as _
from webclient.model import Call, CallKind, Catalog, Json, Via
from webclient.pages.contents import Content, Kind, read_contents
from webclient.pages.icons import icon
from webclient.pictures import ICON_BOX, RESULT_BOX, Drawn, Refusal
from webclient.services import Services

router = APIRouter(include_in_schema=False)

SVG = "image/svg+xml"


@router.get("/calls/{call_id}/contents/{number}/picture")
async def show_picture(call_id: str, number: int, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Serve a picture of the result as redrawn here, or 422 with a sentence."""
    call, content = await _found(services, principal.user_id, call_id, number, "picture")
    return await _picture(services, call.server_id, content.data, RESULT_BOX, content.media_type)


@router.get("/calls/{call_id}/contents/{number}/sound")
async def play_sound(call_id: str, number: int, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Serve a sound of the result in a type that browsers play."""
    _call, content = await _found(services, principal.user_id, call_id, number, "sound")
    return Response(content.data, media_type=content.media_type)


@router.get("/calls/{call_id}/contents/{number}/download")
async def download_content(call_id: str, number: int, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Serve a block of the result as a file, byte for byte."""
    _call, content = await _found(services, principal.user_id, call_id, number)
    if content.size is None:
        raise NotFoundError(_("This content cannot be downloaded."))
    return _file(content.data, content.file_name)


@router.get("/calls/{call_id}/result.json")
async def download_result(call_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Serve the whole result as the server sent it, as a file."""
    call = await services.store.of(principal.user_id).calls.get(call_id)
    if call.result is None:
        raise NotFoundError(_("This call has no result."))
    return _file(json.dumps(call.result, indent=2).encode(), "result.json")


@router.post("/calls/{call_id}/contents/{number}/read")
async def read_link(call_id: str, number: int, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Start a call that reads the resource which a result links to; its URI is not posted.

    The server need not list the resource (MCP 2025-11-25, Tools, Resource Links).
    """
    call, content = await _found(services, principal.user_id, call_id, number, "link")
    server = await services.store.of(principal.user_id).servers.get(call.server_id)
    read = await services.calls.start(principal.user_id, server, kind=CallKind.RESOURCE, name=content.uri, via=Via.PAGE)
    return RedirectResponse(f"/calls/{read.id}", status_code=303)


@router.get("/servers/{server_id}/icons/{place}")
async def show_icon(
    server_id: str, place: str, services: ServicesDep, principal: PrincipalDep, of: str = ""
) -> Response:
    """Serve the icon at that position of the catalog as redrawn here; 404 if it has changed."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    found = icon(_item(services.connections.last_catalog(server), place))
    if found is None or found.digest != of:
        raise NotFoundError(_("This icon no longer exists."))
    return await _picture(services, server_id, found.data, ICON_BOX, found.media_type)


async def _found(
    services: Services, user_id: str, call_id: str, number: int, kind: Kind | None = None
) -> tuple[Call, Content]:
    call = await services.store.of(user_id).calls.get(call_id)
    contents = read_contents(call.result)
    if not 0 <= number < len(contents) or kind not in (None, contents[number].kind):
        raise NotFoundError(_("This call has no such content."))
    return call, contents[number]


async def _picture(services: Services, server_id: str, data: bytes, box: int, media_type: str) -> Response:
    drawn = await services.pictures.draw(server_id, data, box, vector=media_type == SVG)
    if isinstance(drawn, Drawn):
        return Response(drawn.data, media_type=drawn.media_type)
    return PlainTextResponse(why(drawn), status_code=422)


def why(refusal: Refusal) -> str:
    """Return the sentence on why a picture is not shown."""
    return {
        Refusal.UNREADABLE: _("The picture cannot be shown because it is not readable."),
        Refusal.LARGE: _("The picture cannot be shown because it is too large."),
        Refusal.COSTLY: _("The picture cannot be shown because it takes too long to draw."),
        Refusal.PENALTY: _(
            "The picture cannot be shown because several others from this server took too long to draw."
        ),
        Refusal.BUSY: _(
            "The picture cannot be shown because too many others are being drawn. Reload the page in a moment."
        ),
    }[refusal]


def _item(catalog: Catalog, place: str) -> Json:
    """Return the entry of the catalog at a position such as `tool-3`."""
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


def _file(data: bytes, name: str) -> Response:
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type="application/octet-stream", headers={"Content-Disposition": disposition})
