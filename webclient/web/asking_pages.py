"""What a user lets a server ask: the modes that it may use."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from webclient.api.context import CoreOf, UserId
from webclient.errors import InvalidInputError
from webclient.i18n import gettext as _
from webclient.model import Mode, Server
from webclient.web import confirming
from webclient.web.confirming import CONFIRMED, Confirmation, cut_off, open_on
from webclient.web.posted import Posted, first, read_posted_form

router = APIRouter(prefix="/servers/{server_id}", include_in_schema=False)


@router.post("/modes")
async def change_modes(request: Request, server_id: str, core: CoreOf, user_id: UserId) -> Response:
    """Leave the server these modes; says first what that cuts off, if it takes a new connection."""
    posted = await read_posted_form(request, core)
    changed = replace(await core.store.servers.get(user_id, server_id), modes=_modes(posted))
    if core.connections.must_reconnect(changed) and not first(posted, CONFIRMED):
        found = await open_on(core, changed)
        if found:
            asked = Confirmation(
                title=_("Connect {label} anew?").format(label=changed.label),
                happens=[
                    _("What it may ask is agreed on when it is connected, so that is done anew."),
                    *cut_off(found),
                ],
                action=f"/servers/{server_id}/modes",
                button=_("Save and connect anew"),
                fields=[("mode", mode) for mode in changed.modes],
            )
            return await confirming.page(request, core, changed, asked, status=409)
    await core.connections.change(changed)
    return _to(changed)


def _modes(posted: Posted) -> tuple[Mode, ...]:
    chosen = [value for name, value in posted if name == "mode"]
    if unknown := [value for value in chosen if value not in list(Mode)]:
        message = _("The mode must be one of {modes}; it was “{text}”.").format(modes=", ".join(Mode), text=unknown[0])
        raise InvalidInputError(message, {"mode": message})
    return tuple(mode for mode in Mode if mode in chosen)


def _to(server: Server) -> Response:
    return RedirectResponse(f"/servers/{server.id}", status_code=303)
