"""The page of the tokens of programs: make one, whose secret is shown once, mute it, revoke it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.auth import Principal, Scope, new_token
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.model import EVERYONE, LOCAL_USER, ProgramToken, Server, is_user_header
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

LONGEST_LABEL = 200
LONGEST_PATIENCE = 86_400
EXAMPLE_HEADER = "X-OpenWebUI-User-Email"
SOME = "some"
"""The choice of single servers."""

router = APIRouter(prefix="/tokens", include_in_schema=False)


@router.get("")
async def show_tokens(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, scope: str = ""
) -> HTMLResponse:
    """Show the tokens, and the form that makes one with the given `scope`."""
    wanted = _Wanted(scopes=[Scope(scope)]) if scope in principal.scopes else None
    return await _show(http_request, services, principal, wanted=wanted)


@router.post("")
async def make_token(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> HTMLResponse:
    """Make a token, and show its secret, once."""
    server_ids = [each.id for each in await _servers(services, principal)]
    wanted = _wanted(posted, principal.scopes, server_ids, for_others=_may_open(services, principal))
    if wanted.errors:
        return await _show(http_request, services, principal, status=422, wanted=wanted)
    # As in the API: only an administrator lets a program ask others.
    may_ask = [EVERYONE] if principal.is_admin and ("everyone", "on") in posted else []
    token, secret = new_token(
        principal.user_id,
        wanted.label,
        wanted.scopes,
        may_ask,
        servers=wanted.servers,
        patience=wanted.seconds,
        user_header=wanted.user_header or None,
        passes_on=wanted.pass_on,
    )
    await services.store.of(principal.user_id).tokens.add(token, secret)
    # In this response and nowhere else: no redirect could carry it without storing it.
    return await _show(http_request, services, principal, status=201, made=token, secret=secret)


@router.post("/{token_id}/revoke")
async def revoke_token(token_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Revoke a token for good."""
    token = await services.accounts.revoke_token(principal.user_id, token_id)
    return redirect("/tokens", _("Revoked: {label}.").format(label=visible(token.label, 80)))


@router.post("/{token_id}/mute")
async def mute_token(token_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Refuse all further questions of the program."""
    token = await services.store.of(principal.user_id).tokens.mute(token_id, muted=True)
    return redirect("/tokens", _("Muted: {label}.").format(label=visible(token.label, 80)))


@router.post("/{token_id}/unmute")
async def unmute_token(token_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Let the program ask again."""
    token = await services.store.of(principal.user_id).tokens.mute(token_id, muted=False)
    return redirect("/tokens", _("Unmuted: {label}.").format(label=visible(token.label, 80)))


@router.post("/{token_id}/pass-on")
async def pass_on(token_id: str, services: ServicesDep, principal: PrincipalDep, posted: PostedDep) -> Response:
    """Pass on to an agent what servers ask, or stop that."""
    passes_on = ("pass_on", "on") in posted
    token = await services.store.of(principal.user_id).tokens.pass_on(token_id, passes_on=passes_on)
    label = visible(token.label, 80)
    words = _("Asked as well: {label}.") if passes_on else _("Not asked any more: {label}.")
    return redirect("/tokens", words.format(label=label))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A token as it was posted; `patience` are the seconds as they were typed, and `some`: not all servers."""

    label: str = ""
    scopes: Sequence[Scope] = (Scope.ASK,)
    some: bool = False
    servers: Sequence[str] = ()
    patience: str = ""
    pass_on: bool = False
    user_header: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        """The patience as a number; none if it is empty, and NaN if it is wrong."""
        try:
            return float(self.patience) if self.patience else None
        except ValueError:
            return math.nan


def _may_open(services: Services, principal: Principal) -> bool:
    """Return whether the principal may make tokens that reach other users."""
    return principal.is_admin and services.settings.has_users


def _wanted(posted: Posted, scopes: Iterable[Scope], server_ids: Sequence[str], *, for_others: bool) -> _Wanted:
    """Return the token that was posted, with a sentence for each wrong field."""
    # Only what the page shows: no token allows more than its user may do.
    chosen = [scope for scope in scopes if ("scope", scope) in posted]
    calls = Scope.GATEWAY in chosen
    some = calls and first(posted, "reach") == SOME
    wanted = _Wanted(
        label=first(posted, "label").strip(),
        scopes=chosen,
        some=some,
        servers=[each for each in server_ids if some and ("server", each) in posted],
        patience=first(posted, "patience").strip() if calls else "",
        pass_on=calls and ("pass_on", "on") in posted,
        user_header=first(posted, "user_header").strip() if calls and for_others else "",
    )
    return replace(wanted, errors=_errors(wanted))


def _errors(wanted: _Wanted) -> Mapping[str, str]:
    errors = {}
    if not wanted.label:
        errors["label"] = _("Enter a name.")
    elif len(wanted.label) > LONGEST_LABEL:
        errors["label"] = _("Use at most {n} characters.").format(n=LONGEST_LABEL)
    if not wanted.scopes:
        errors["scope"] = _("Choose what the program may do.")
    if wanted.some and not wanted.servers:
        errors["servers"] = _("Choose at least one server.")
    if wanted.seconds is not None and not 1 <= wanted.seconds <= LONGEST_PATIENCE:
        errors["patience"] = _("Enter a number from 1 to {most}, or nothing.").format(most=LONGEST_PATIENCE)
    if wanted.user_header and not is_user_header(wanted.user_header):
        errors["user_header"] = _("Enter the name of a header that only your application sends, or nothing.")
    elif wanted.user_header and (wanted.some or set(wanted.scopes) != {Scope.GATEWAY}):
        errors["user_header"] = _("With this header, choose the gateway alone, with all servers.")
    return errors


async def _servers(services: Services, principal: Principal) -> Sequence[Server]:
    return await services.store.of(principal.user_id).servers.all()


def scope_words() -> Mapping[Scope, str]:
    """Return what each scope allows, in a sentence."""
    return {
        Scope.ASK: _("Ask you questions, and read its own answers."),
        Scope.READ: _("Read servers, calls, questions and the history."),
        Scope.ANSWER: _("Answer questions in your place."),
        Scope.GATEWAY: _("Call your servers through the gateway; what they ask comes to you."),
        Scope.ADMIN: _("Everything that you can do, tokens included."),
    }


async def _show(
    http_request: Request,
    services: Services,
    principal: Principal,
    *,
    status: int = 200,
    wanted: _Wanted | None = None,
    made: ProgramToken | None = None,
    secret: str = "",
) -> HTMLResponse:
    page_context = await read_page_context(services, principal.user_id)
    return render(
        http_request,
        "tokens/page.html",
        status=status,
        page_context=page_context,
        muted=await services.store.of(principal.user_id).muted_programs.all(),
        tokens=await services.store.of(principal.user_id).tokens.all(),
        words={scope: words for scope, words in scope_words().items() if scope in principal.scopes},
        wanted=wanted or _Wanted(),
        may_open=_may_open(services, principal),
        example_header=EXAMPLE_HEADER,
        made=made,
        secret=secret,
        sign_in_days=None if principal.user_id == LOCAL_USER else services.settings.sign_in_days,
    )
