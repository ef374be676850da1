"""The token of a server that refuses without one: tried, then saved as the `Authorization` header."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.content.visible_text import visible
from webclient.domain.errors import ForbiddenError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences
from webclient.domain.model import Json, ReasonCode, Server
from webclient.domain.reasons import message
from webclient.domain.transport_rules import wrong_header
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, redirect
from webclient.web.pages.confirmation import lost_work, read_open_work
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.servers.attempts import try_new
from webclient.web.pages.servers.new_server import NewServer
from webclient.web.pages.servers.server_sign_in import show_sign_in_tab

router = APIRouter(prefix="/servers", include_in_schema=False)

_SCHEME = "bearer "


@router.post("/{server_id}/token")
async def save_token(http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep) -> Response:
    """Try the server with the posted token; save that and connect if it works, else say why not.

    `save` is "confirmed" to end open work as well.
    """
    if server.name is not None:
        raise ForbiddenError(_("This server is defined in the config file. Change it there."))
    transport = _with_token(server.transport, first(posted, "token"))
    if wrong := await _wrong(services, server, transport):
        return await show_sign_in_tab(http_request, services, server, token_error=wrong)
    if first(posted, "save") != "confirmed" and (found := await read_open_work(services, server)):
        effects = sentences([*lost_work(found), _("To go on, enter the token again.")])
        return await show_sign_in_tab(http_request, services, server, token_error=effects, ends_work=True)
    await services.servers.connect(await services.servers.move(server, transport))
    label = visible(server.label, 80)
    return redirect(f"/servers/{server.id}", _("The token was saved, and {label} accepts it.").format(label=label))


def _with_token(transport: Json, typed: str) -> Json:
    """Return the transport with a token, which may have been copied with its scheme."""
    token = typed.strip()
    if token.lower().startswith(_SCHEME):
        token = token[len(_SCHEME) :].lstrip()
    others = {name: value for name, value in _headers(transport).items() if name.lower() != "authorization"}
    return {**transport, "headers": others | ({"Authorization": f"Bearer {token}"} if token else {})}


def _headers(transport: Json) -> dict[str, str]:
    return dict(transport.get("headers") or {})


async def _wrong(services: Services, server: Server, transport: Json) -> str:
    """Return why the server cannot be used with the token, or ""."""
    if "Authorization" not in _headers(transport):
        return _("Enter the token. The operator of the server gives you one.")
    if wrong := wrong_header(_headers(transport)):
        return str(wrong)
    new = NewServer(label=server.label, transport=transport, era=server.era)
    [attempt] = await try_new(services, server.user_id, [new])
    fault = attempt.trial.fault
    if fault and fault.reason.code is ReasonCode.HTTP_TOKEN_REJECTED:
        return _("The server rejected this token. Check that it is complete and has not expired.")
    return message(fault) if fault else ""
