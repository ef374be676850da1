"""The page with a person's own sign-ins: in which browsers and applications, since when, and a button to end each.

Administrators have the same list on the page of a user (`admin_pages.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.auth import HostSessions, Principal
from webclient.content.visible_text import visible
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import OpenSession
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.page_context import read_page_context

PATH = "/account/sign-ins"

router = APIRouter(prefix=PATH, include_in_schema=False)

BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))

SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRow:
    """A sign-in, the name of its browser or agent, and of the application in whose frame it is, if it is in one."""

    session: OpenSession
    browser: str
    application: str


async def read_sign_ins(
    http_request: Request, services: Services, user_id: str, principal: Principal
) -> Sequence[SignInRow]:
    """Return the sign-ins of a user that open something, as the principal sees them."""
    ways = set(services.settings.identity)
    host: HostSessions | None = http_request.app.state.host_sessions
    found = await services.store.open_sessions.of(user_id, principal.session_id)
    return [
        SignInRow(session=each, browser=_sender(each), application=_label(host, each.embedder))
        for each in found
        # A way that is not used any more opens nothing.
        if each.embedder or each.way in ways
    ]


def _sender(session: OpenSession) -> str:
    if session.agent:
        return _("Agent {label}").format(label=visible(session.agent, 80))
    return browser_label(session.browser.user_agent)


def _label(host: HostSessions | None, embedder: str) -> str:
    known = host.embedder(embedder) if host and embedder else None
    return known.label if known else embedder


async def end_one(services: Services, user_id: str, session_id: str) -> None:
    """End a sign-in of a user, and the streams that came by it. Raises NotFoundError."""
    if not await services.accounts.end_sign_ins(user_id, [session_id]):
        raise NotFoundError(_("This sign-in does not exist. It may have ended."))


def ended_words(n: int) -> str:
    """Return the sentence that says how many sign-ins were ended."""
    return ngettext("{n} sign-in was ended.", "{n} sign-ins were ended.", n).format(n=n)


@router.get("")
async def show_sign_ins(http_request: Request, services: ServicesDep, principal: PrincipalDep) -> HTMLResponse:
    """Show the sign-ins of the person."""
    page_context = await read_page_context(services, principal.user_id)
    return render(
        http_request,
        "account/sign_ins.html",
        page_context=page_context,
        sign_ins=await read_sign_ins(http_request, services, principal.user_id, principal),
        is_elsewhere=principal.session_id is None,
        provider=http_request.app.state.identity.sign_in.provider_label,
    )


# Before the route of one sign-in, whose address has an id in the same place.
@router.post("/end-others")
async def end_all_others(services: ServicesDep, principal: PrincipalDep) -> Response:
    """End all sign-ins of the person but this one."""
    return redirect(
        PATH, ended_words(await services.accounts.end_all_sign_ins(principal.user_id, principal.session_id))
    )


@router.post("/{session_id}/end")
async def end(services: ServicesDep, principal: PrincipalDep, session_id: str) -> Response:
    """End one sign-in of the person."""
    await end_one(services, principal.user_id, session_id)
    return redirect(PATH, ended_words(1))


def browser_label(user_agent: str) -> str:
    """Return the name of a browser and its system; "Browser" if it is unknown."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return browser or system or _("Browser")
