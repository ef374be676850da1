"""The contents of a sampling request as the server sent them: the whole as a file, its pictures and sounds."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.responses import Response

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest
from webclient.web.http import RequestDep, ServicesDep
from webclient.web.pages.calls.content_pages import download, served_picture
from webclient.web.pages.sampling.conversation import Block, read_conversation

router = APIRouter(include_in_schema=False)


@router.get("/requests/{request_id}/request.json")
async def download_request(request: RequestDep) -> Response:
    """Serve the whole request as the server sent it, as a file."""
    return download(json.dumps(request.params, indent=2).encode(), "request.json")


@router.get("/requests/{request_id}/contents/{place}/picture")
async def show_picture(place: str, services: ServicesDep, request: RequestDep) -> Response:
    """Serve a picture of the conversation as redrawn here, or 422 with a sentence."""
    block = _block(request, place, "picture")
    return await served_picture(services, request.server_key, block.data, block.media_type)


@router.get("/requests/{request_id}/contents/{place}/sound")
async def play_sound(place: str, request: RequestDep) -> Response:
    """Serve a sound of the conversation in a type that browsers play."""
    block = _block(request, place, "sound")
    return Response(block.data, media_type=block.media_type)


def _block(request: InputRequest, place: str, kind: str) -> Block:
    steps = place.split(".")
    is_place = len(steps) <= 3 and all(each.isascii() and each.isdigit() and len(each) < 6 for each in steps)
    found = read_conversation(request.params).block(tuple(map(int, steps))) if is_place else None
    if found is None or found.kind != kind:
        raise NotFoundError(_("This request has no such content."))
    return found
