"""What a user lets a server ask: the modes that it may use, or nothing for now; and a no to all that it asks."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from webclient.errors import InvalidInputError
from webclient.http.context import PrincipalDep, ServicesDep
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import Mode, Server, Via
from webclient.pages import confirming
from webclient.pages.confirming import CONFIRMED, Confirmation, Open, cut_off, open_on
from webclient.pages.posted import Posted, first, read_posted_form

router = APIRouter(prefix="/servers/{server_id}", include_in_schema=False)


@router.post("/modes")
async def change_modes(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Leave the server these modes; says first what that cuts off, if it takes a new connection."""
    posted = await read_posted_form(request, services)
    changed = replace(await services.store.servers.get(principal.user_id, server_id), modes=_modes(posted))
    if services.connections.must_reconnect(changed) and not first(posted, CONFIRMED):
        found = await open_on(services, changed)
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
            return await confirming.page(request, services, changed, asked, status=409)
    await services.servers.change(changed)
    return _to(changed)


@router.get("/mute")
async def ask_to_mute(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Say what it means to mute the server."""
    server = await services.store.servers.get(principal.user_id, server_id)
    return await confirming.page(request, services, server, _muting(server, await open_on(services, server)))


@router.post("/mute")
async def mute(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Cancel whatever the server asks from now on, and what waits; says first what that is."""
    posted = await read_posted_form(request, services)
    server = await services.store.servers.get(principal.user_id, server_id)
    found = await open_on(services, server)
    if found.questions and not first(posted, CONFIRMED):
        return await confirming.page(request, services, server, _muting(server, found), status=409)
    return _to(await services.servers.mute(server))


@router.post("/unmute")
async def unmute(server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Let the server ask again."""
    return _to(await services.servers.unmute(await services.store.servers.get(principal.user_id, server_id)))


@router.get("/decline-all")
async def ask_to_decline_all(
    request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep
) -> Response:
    """Say how many questions would get a no."""
    server = await services.store.servers.get(principal.user_id, server_id)
    return await confirming.page(request, services, server, _declining(server, await open_on(services, server)))


@router.post("/decline-all")
async def decline_all(request: Request, server_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Decline each question of the server that waits, once that was confirmed."""
    posted = await read_posted_form(request, services)
    server = await services.store.servers.get(principal.user_id, server_id)
    if not first(posted, CONFIRMED):
        asked = _declining(server, await open_on(services, server))
        return await confirming.page(request, services, server, asked, status=409)
    await services.inbox.decline_all(principal.user_id, server.id, via=Via.PAGE)
    return RedirectResponse("/", status_code=303)


def _muting(server: Server, found: Open) -> Confirmation:
    waiting = ngettext(
        "{n} question waits for you. It is cancelled: the server gets neither a yes nor a no.",
        "{n} questions wait for you. They are cancelled: the server gets neither a yes nor a no.",
        found.questions,
    )
    return Confirmation(
        title=_("Mute {label}?").format(label=server.label),
        happens=[
            _("Whatever it asks from now on is cancelled at once, until you let it ask again. You can see how often."),
            *([waiting.format(n=found.questions)] if found.questions else []),
            _("It stays connected, and you can still run its tools."),
        ],
        action=f"/servers/{server.id}/mute",
        button=_("Mute"),
    )


def _declining(server: Server, found: Open) -> Confirmation:
    waiting = ngettext(
        "{n} question waits for you. It gets a no: the server is told that you declined.",
        "{n} questions wait for you. Each gets a no: the server is told that you declined.",
        found.questions,
    )
    happens = [waiting.format(n=found.questions), _("What you typed there is not sent, and is gone.")]
    return Confirmation(
        title=_("Decline all that {label} asks?").format(label=server.label),
        happens=happens if found.questions else [_("Nothing that it asked waits for you.")],
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
