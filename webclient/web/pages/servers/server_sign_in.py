"""The sign-in of a server: begin it, sign out, and the settings that an authorization server may need."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import anyio
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from webclient.content.visible_text import visible
from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Server, SignInStep
from webclient.servers.sign_in import redirect_uris
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, redirect, render
from webclient.web.pages.posted_form import Posted, PostedDep, first
from webclient.web.pages.servers.server_tabs import Tab, read_server_page

router = APIRouter(prefix="/servers", include_in_schema=False)

SOON = 8
"""Seconds that a page waits until a sign-in can be opened."""

EXCEPTIONS: Mapping[str, tuple[str, str]] = {
    "pkce_unannounced": (
        N_("It does not announce PKCE"),
        N_(
            "Risk: if it does not check PKCE at all, someone who gets hold of the code of your sign-in can use it. "
            "Needed for Microsoft Entra ID, which checks it and does not say so."
        ),
    ),
    "other_issuer": (
        N_("Its issuer differs from its address"),
        N_("Risk: another tenant on the same host could pass itself off as this one. Other hosts are always refused."),
    ),
    "no_resource": (
        N_("It refuses the resource parameter"),
        N_("Risk: the token may be valid at other servers of this provider, too, and this server could use it there."),
    ),
}
"""The exceptions that a user may allow a server: what its authorization server does, and the risk of that."""

TEXTS = ("client_id", "issuer", "scope")
"""The settings that are shown; the secret of the client is not."""


@dataclass(frozen=True, kw_only=True)
class SignInSettings:
    """The settings of a sign-in as the form shows them, and the `redirect_uris` to register this program with.

    `values` are the texts by name, `exceptions` the allowed ones, and `has_secret` says that a secret is stored.
    """

    values: Mapping[str, str]
    exceptions: Collection[str]
    has_secret: bool
    redirect_uris: Sequence[str]
    steps: Sequence[SignInStep]


def read_sign_in_settings(services: Services, server: Server) -> SignInSettings:
    """Return the settings as they are stored, and the steps of the last sign-ins."""
    oauth = server.oauth
    return SignInSettings(
        values={name: str(oauth.get(name) or "") for name in TEXTS},
        exceptions=tuple(map(str, oauth.get("exceptions") or ())),
        has_secret=bool(oauth.get("client_secret")),
        redirect_uris=redirect_uris(services.settings),
        steps=services.sign_ins.trace_of(server.key),
    )


async def until_prepared(services: Services, server: Server) -> None:
    """Wait until a sign-in that has begun can be opened, or has failed; `SOON` seconds at most."""
    with services.hub.subscribe(server.user_id) as changes, anyio.move_on_after(SOON):
        while (auth := services.sign_ins.auth_of(server.key)).wanted is None and auth.error is None:
            await anext(changes)


@router.get("/{server_id}/sign-in")
async def show_sign_in(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show where the sign-in stands, with its settings and its last steps."""
    return await show_sign_in_tab(http_request, services, server)


@router.post("/{server_id}/sign-in")
async def sign_in(services: ServicesDep, server: ServerDep) -> Response:
    """Prepare a sign-in, and show its card as soon as it can be opened; else the server, which says why not."""
    await services.servers.sign_in(server)
    await until_prepared(services, server)
    wanted = services.sign_ins.auth_of(server.key).wanted
    return RedirectResponse(f"/sign-ins/{wanted.id}" if wanted else _page(server), status_code=303)


@router.post("/{server_id}/sign-out")
async def sign_out(services: ServicesDep, server: ServerDep) -> Response:
    """Revoke and delete the tokens for the server."""
    await services.servers.sign_out(server)
    label = visible(server.label, 80)
    return redirect(_page(server), _("Signed out of {label}. Its tokens were deleted here.").format(label=label))


@router.post("/{server_id}/sign-in/settings")
async def change_sign_in(
    http_request: Request, services: ServicesDep, posted: PostedDep, server: ServerDep
) -> Response:
    """Save the settings of the sign-in; an empty secret keeps the stored one."""
    try:
        await services.servers.change_oauth(server, _changed(server.oauth, posted))
    except InvalidInputError as wrong:
        typed = {name: first(posted, name) for name in TEXTS}
        chosen = _exceptions(posted)
        return await show_sign_in_tab(http_request, services, server, typed=typed, chosen=chosen, errors=wrong.errors)
    return redirect(_page(server), _("Saved. The server is being reconnected."))


def _changed(oauth: Json, posted: Posted) -> Json:
    texts = {name: first(posted, name).strip() for name in TEXTS}
    secret = first(posted, "client_secret") or ("" if first(posted, "remove_secret") else oauth.get("client_secret"))
    changed = {**oauth, **texts, "client_secret": secret, "exceptions": _exceptions(posted)}
    return {name: value for name, value in changed.items() if value not in (None, "", [])}


def _exceptions(posted: Posted) -> list[str]:
    return [value for name, value in posted if name == "exception"]


def _page(server: Server) -> str:
    return f"/servers/{server.id}/sign-in"


async def show_sign_in_tab(
    http_request: Request,
    services: Services,
    server: Server,
    *,
    typed: Mapping[str, str] | None = None,
    chosen: Sequence[str] = (),
    errors: Mapping[str, str] | None = None,
    token_error: str = "",
    ends_work: bool = False,
) -> HTMLResponse:
    """Return the tab; `token_error` is what is wrong with a posted token, `ends_work` that open work would end."""
    page = await read_server_page(services, server)
    sign_in_settings = read_sign_in_settings(services, server)
    if typed is not None:
        sign_in_settings = replace(sign_in_settings, values=typed, exceptions=chosen)
    return render(
        http_request,
        "servers/sign_in.html",
        status=422 if errors or token_error else 200,
        page_context=page.page_context,
        row=replace(page.row, token_error=token_error, ends_work=ends_work),
        tab=Tab.SIGN_IN,
        tabs=page.tabs,
        sign_in_settings=sign_in_settings,
        exceptions=EXCEPTIONS,
        errors=errors or {},
    )
