"""The switches of the protocol's extensions for a server: which of them are announced."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Extension, Server, extensions_for
from webclient.web.http import ServerDep, ServicesDep, redirect
from webclient.web.pages.confirmation import Confirmation, OpenWork, ask_unless_confirmed, lost_work
from webclient.web.pages.posted_form import Posted, PostedDep

router = APIRouter(prefix="/servers", include_in_schema=False)


def extension_switches(server: Server) -> list[tuple[Extension, str, bool]]:
    """Return the switches for the server: an extension that fits its transport, its name, and whether it is on."""
    words = {
        Extension.CLIENT_CREDENTIALS: _("Sign-in of a program (client credentials)"),
        Extension.ENTERPRISE: _("Sign-in that a company manages (enterprise-managed authorization)"),
        Extension.TASKS: _("Calls that run as tasks (2026-07-28)"),
    }
    return [(each, words[each], each not in server.extensions_off) for each in _announceable(server)]


@router.post("/{server_id}/extensions")
async def change_extensions(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep
) -> Response:
    """Save the switches; ask to confirm first if the server must be reconnected with open work."""
    chosen = _chosen(posted)
    off = tuple(
        each for each in Extension if each not in chosen and each in (*_announceable(server), *server.extensions_off)
    )
    changed = replace(server, extensions_off=off)
    if services.connections.must_reconnect(changed) and (
        page := await ask_unless_confirmed(http_request, services, changed, posted, partial(_reconnecting, changed))
    ):
        return page
    await services.servers.change(changed)
    return redirect(f"/servers/{server.id}/permissions#extensions", _("Extensions saved."))


def _announceable(server: Server) -> tuple[Extension, ...]:
    return extensions_for(http="url" in server.transport, modern=True)


def _chosen(posted: Posted) -> list[Extension]:
    chosen = [value for name, value in posted if name == "extension"]
    if unknown := [value for value in chosen if value not in list(Extension)]:
        message = _("The extension must be one of {names}; it was “{text}”.")
        message = message.format(names=", ".join(Extension), text=unknown[0])
        raise InvalidInputError(message, {"extension": message})
    return [Extension(value) for value in chosen]


def _reconnecting(changed: Server, found: OpenWork) -> Confirmation:
    return Confirmation(
        title=_("Reconnect {label}?").format(label=changed.label),
        consequences=[
            _("Extensions are negotiated when connecting, so the server will be reconnected."),
            *lost_work(found),
        ],
        action=f"/servers/{changed.id}/extensions",
        button=_("Save and reconnect"),
        is_destructive=bool(found),
        fields=[("extension", each) for each in Extension if each not in changed.extensions_off],
    )
