"""The permissions of a server: the modes of its questions, mute, and declining all that are waiting."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from webclient.errors import InvalidInputError
from webclient.http import PrincipalDep, ServicesDep
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import Mode, Server, Via
from webclient.pages.confirmation import CONFIRMED, Confirmation, OpenWork, ask_to_confirm, lost_work, read_open_work
from webclient.pages.posted_form import Posted, first, read_posted_form

router = APIRouter(prefix="/servers/{server_id}", include_in_schema=False)


@router.post("/modes")
async def change_modes(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Save the modes; ask to confirm first if the server must be reconnected with open work."""
    posted = await read_posted_form(request, services)
    changed = replace(await services.store.of(principal.user_id).servers.get(server_id), modes=_modes(posted))
    if services.connections.must_reconnect(changed) and not first(posted, CONFIRMED):
        found = await read_open_work(services, changed)
        if found:
            confirmation = Confirmation(
                title=_("Reconnect {label}?").format(label=changed.label),
                consequences=[
                    _("Permissions are negotiated when connecting, so the server will be reconnected."),
                    *lost_work(found),
                ],
                action=f"/servers/{server_id}/modes",
                button=_("Save and reconnect"),
                fields=[("mode", mode) for mode in changed.modes],
            )
            return await ask_to_confirm(request, services, changed, confirmation, status=409)
    await services.servers.change(changed)
    return _to(changed)


@router.get("/mute")
async def ask_to_mute(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Show the confirmation of muting the server."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    return await ask_to_confirm(request, services, server, _muting(server, await read_open_work(services, server)))


@router.post("/mute")
async def mute(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Mute the server; ask to confirm first if questions are waiting."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    found = await read_open_work(services, server)
    if found.questions and not first(posted, CONFIRMED):
        return await ask_to_confirm(request, services, server, _muting(server, found), status=409)
    return _to(await services.servers.mute(server))


@router.post("/unmute")
async def unmute(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Unmute the server."""
    return _to(await services.servers.unmute(await services.store.of(principal.user_id).servers.get(server_id)))


@router.get("/decline-all")
async def ask_to_decline_all(
    request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Show the confirmation of declining all waiting questions."""
    server = await services.store.of(principal.user_id).servers.get(server_id)
    return await ask_to_confirm(request, services, server, _declining(server, await read_open_work(services, server)))


@router.post("/decline-all")
async def decline_all(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Decline all waiting questions of the server, once confirmed."""
    posted = await read_posted_form(request, services)
    server = await services.store.of(principal.user_id).servers.get(server_id)
    if not first(posted, CONFIRMED):
        confirmation = _declining(server, await read_open_work(services, server))
        return await ask_to_confirm(request, services, server, confirmation, status=409)
    await services.inbox.decline_all(principal.user_id, server.id, via=Via.PAGE)
    return RedirectResponse("/", status_code=303)


def _muting(server: Server, found: OpenWork) -> Confirmation:
    waiting = ngettext(
        "{n} question is waiting for you. It will be cancelled: the server gets neither a yes nor a no.",
        "{n} questions are waiting for you. They will be cancelled: the server gets neither a yes nor a no.",
        found.questions,
    )
    return Confirmation(
        title=_("Mute {label}?").format(label=server.label),
        consequences=[
            _("Its questions will be cancelled automatically until you unmute it. The history shows how often."),
            *([waiting.format(n=found.questions)] if found.questions else []),
            _("The server stays connected, and you can still run its tools."),
        ],
        action=f"/servers/{server.id}/mute",
        button=_("Mute"),
    )


def _declining(server: Server, found: OpenWork) -> Confirmation:
    waiting = ngettext(
        "{n} question is waiting for you. It will be declined, and the server is told.",
        "{n} questions are waiting for you. Each will be declined, and the server is told.",
        found.questions,
    )
    consequences = [waiting.format(n=found.questions), _("Unsent text is deleted.")]
    return Confirmation(
        title=_("Decline all questions from {label}?").format(label=server.label),
        consequences=consequences if found.questions else [_("No questions from this server are waiting.")],
        action=f"/servers/{server.id}/decline-all",
        button=_("Decline all"),
    )


def _modes(posted: Posted) -> tuple[Mode, ...]:
    chosen = [value for name, value in posted if name == "mode"]
    if unknown := [value for value in chosen if value not in list(Mode)]:
        message = _("The mode must be one of {modes}; it was “{text}”.").format(modes=", ".join(Mode), text=unknown[0])
        raise InvalidInputError(message, {"mode": message})
    return tuple(mode for mode in Mode if mode in chosen)


def _to(server: Server) -> Response:
    return RedirectResponse(f"/servers/{server.id}", status_code=303)
