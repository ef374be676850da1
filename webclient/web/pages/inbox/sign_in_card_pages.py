"""The cards of wanted sign-ins: show, open, register again and dismiss."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from webclient.content.links import analyse
from webclient.domain.errors import ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.servers.sign_in import CALLBACK_PATH, redirect_uris
from webclient.services import Services
from webclient.settings import Settings, is_loopback
from webclient.web.http import PrincipalDep, ServicesDep, at_address, based, is_htmx, redirect, render
from webclient.web.pages.inbox.inbox_entries import suffix_of
from webclient.web.pages.inbox.inbox_pages import show_inbox
from webclient.web.pages.inbox.sign_in_cards import SignInCard
from webclient.web.pages.inbox.too_soon import is_too_soon
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep
from webclient.web.pages.users import sign_in_cookie

router = APIRouter(prefix="/sign-ins", include_in_schema=False)


@router.get("/{sign_in_id}")
async def show_sign_in(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, sign_in_id: str, server: str = ""
) -> Response:
    """Show a wanted sign-in beside the list; in a narrow window, without it. One that is over leads to the inbox."""
    card = await _find(services, principal.user_id, sign_in_id)
    if card is None:
        return redirect("/", _over())
    if not is_htmx(http_request):
        return await show_inbox(http_request, services, principal.user_id, server=server, sign_in_card=card)
    headers = at_address(f"/sign-ins/{sign_in_id}{suffix_of(server)}")
    return render(http_request, "sign_ins/_detail.html", headers=headers, sign_in_card=card)


@router.post("/{sign_in_id}/open")
async def open_sign_in(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep, sign_in_id: str
) -> Response:
    """Bind the sign-in to this browser, and send it to the authorization server.

    A page that continues by itself rather than a redirect: after a posted form the policy `form-action 'self'` stops
    one to another site.
    """
    refuse_too_soon(posted)
    return await lead_to_sign_in(http_request, services, principal.user_id, sign_in_id)


async def lead_to_sign_in(http_request: Request, services: Services, user_id: str, sign_in_id: str) -> Response:
    """Return the page that leads this browser to the sign-in, which it alone can finish."""
    card = await _find(services, user_id, sign_in_id)
    if card is None:
        raise NotFoundError(_over())
    started = await services.sign_ins.start(user_id, sign_in_id, _redirect_uri(http_request, services.settings))
    link = analyse(started.url)
    if link.blocked or card.link.blocked:
        raise ConflictError(_("This link is blocked."))
    # Canonical: it begins with http and has no quotes, so that the page does not cut it off.
    response = render(
        http_request, "sign_ins/opening.html", url=link.href, host=card.link.host, label=card.server.label
    )
    sign_in_cookie.add(http_request, response, started.url, started.nonce)
    return response


@router.post("/{sign_in_id}/register")
async def register_again(
    services: ServicesDep, principal: PrincipalDep, posted: PostedDep, sign_in_id: str
) -> Response:
    """Register with the authorization server of a sign-in once more, and show its card."""
    refuse_too_soon(posted)
    await services.sign_ins.register_again(principal.user_id, sign_in_id)
    return RedirectResponse(f"/sign-ins/{sign_in_id}", status_code=303)


@router.post("/{sign_in_id}/dismiss")
async def dismiss_sign_in(
    services: ServicesDep, principal: PrincipalDep, posted: PostedDep, sign_in_id: str
) -> Response:
    """Dismiss a sign-in; calls that wait for it fail."""
    refuse_too_soon(posted)
    await services.sign_ins.cancel(principal.user_id, sign_in_id)
    return redirect("/", _("Dismissed. You can sign in later on the page of the server."))


async def _find(services: Services, user_id: str, sign_in_id: str) -> SignInCard | None:
    page_context = await read_page_context(services, user_id)
    cards = (row.sign_in for row in page_context.servers)
    return next((card for card in cards if card and card.sign_in.id == sign_in_id), None)


def refuse_too_soon(posted: Posted) -> None:
    """Check that the card was shown long enough. Raises InvalidAnswerError."""
    if is_too_soon(posted):
        message = _("Not done: this appeared just before your click. Read it, then decide.")
        raise InvalidAnswerError(message, {"": message})


def _redirect_uri(http_request: Request, settings: Settings) -> str:
    """Return our redirect URI under the host name that this browser uses, because cookies belong to a host."""
    known = redirect_uris(settings)
    here = f"{http_request.url.scheme}://{http_request.url.netloc}{based(CALLBACK_PATH)}"
    if here in known or not (settings.public_url or is_loopback(http_request.url.hostname or "")):
        return here
    return known[0]


def _over() -> str:
    return _("This sign-in is over: it was finished, dismissed or replaced, or it has expired.")
