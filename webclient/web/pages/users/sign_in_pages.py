"""The sign-in page: exchanges a secret for a session, and ends the session.

The page after signing in takes the secret off the address bar. The browser's history keeps the link; `--one-time-link`
prints one that works once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated
from urllib.parse import quote, urljoin

from fastapi import APIRouter, Form
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from webclient.auth import EndedSession, SignIn, SignInOutcome
from webclient.domain.i18n import gettext as _
from webclient.web.http import ServicesDep, own_page, render
from webclient.web.pages.users import push_cookie

SignedOut = Callable[[str], None]
"""Gets the id of a user who signs out."""


Refused = Callable[[HTTPConnection], Awaitable[None]]
"""Is called for each wrong token; beyond a limit of each address, tokens are not looked at."""


class SignInPages:
    """The pages that start and end a session."""

    def __init__(
        self, sign_in: SignIn, home: str, signed_out: SignedOut | None = None, refused: Refused | None = None
    ) -> None:
        self._sign_in = sign_in
        self._home = home
        self._signed_out = signed_out
        self._refused = refused

    async def open(self, request: Request, token: str | None = None, next: str = "") -> Response:  # noqa: A002
        """Sign in with the link's token, or show the sign-in form; then continue to the page `next`, or home."""
        page = next or self._home
        if next and token is None and not self._sign_in.takes_token:
            # The proxy in front asks for a sign-in there, and brings the browser to that page after it.
            wanted, begins_at = own_page(next), self._sign_in.begins_at
            address = f"{begins_at}?next={quote(wanted)}" if begins_at else wanted
            return RedirectResponse(address, status_code=303)
        return self._form(request, page) if token is None else await self._try(request, token, page)

    async def post(
        self,
        request: Request,
        token: Annotated[str, Form()] = "",
        next: Annotated[str, Form()] = "/",  # noqa: A002
    ) -> Response:
        """Sign in with the pasted token, then continue to the page `next`."""
        return await self._try(request, token.strip(), next)

    async def leave(self, request: Request, services: ServicesDep) -> Response:
        """End the session here and in the browser, and the notifications of this browser."""
        user_id = request.state.principal.user_id
        ended = await self._sign_in.sign_out(request)
        if self._signed_out:
            # Streams of other browsers of the user are opened again by themselves.
            self._signed_out(user_id)
        response = self._signed_out_page(request, ended)
        await push_cookie.end_notifications(request, response, services, user_id)
        return response

    def _signed_out_page(self, request: Request, ended: EndedSession) -> Response:
        response: Response = RedirectResponse("/login", status_code=303)
        if ended.url:
            # A page that continues by itself: `form-action 'self'` stops a redirect to another site.
            response = render(request, "signed_out.html", url=urljoin(str(request.base_url), ended.url))
        for cookie in ended.cookies:
            response.headers.append("Set-Cookie", cookie)
        return response

    async def _try(self, request: Request, secret: str, page: str) -> Response:
        result = await self._sign_in.sign_in(request, secret)
        if result.outcome is SignInOutcome.WRONG and self._refused:
            await self._refused(request)
        if result.outcome is not SignInOutcome.SIGNED_IN:
            return self._form(request, page, result.outcome, headers=result.headers)
        # A page that continues by itself rather than a redirect: when the link was clicked on another site, a
        # redirected request still counts as that site's, and the browser holds back a Strict cookie.
        return render(request, "signed_in.html", headers=result.headers, page=own_page(page))

    def _form(
        self,
        request: Request,
        page: str,
        wrong: SignInOutcome | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        status, sentence = _refusal(wrong) if wrong else (200, None)
        if self._sign_in.takes_token:
            return render(
                request,
                "sign_in.html",
                status=status,
                headers=headers,
                page_context=None,
                wrong=sentence,
                page=own_page(page),
                begins_at=self._sign_in.begins_at,
                provider=self._sign_in.provider_label,
            )
        if self._sign_in.begins_at and wrong is None:
            return render(
                request,
                "sign_in_provider.html",
                headers=headers,
                page_context=None,
                page=own_page(page),
                provider=self._sign_in.provider_label,
            )
        instructions = self._sign_in.instructions()
        return render(
            request,
            "sign_in_elsewhere.html",
            status=status,
            page_context=None,
            wrong=sentence,
            instructions=instructions,
        )


def _refusal(outcome: SignInOutcome) -> tuple[int, str]:
    match outcome:
        case SignInOutcome.USED:
            return 403, _("This link works once and was used before. Restart mcp-webclient for a new one.")
        case SignInOutcome.ELSEWHERE:
            return 403, _("The token signs no browser in here; programs may send it.")
        case SignInOutcome.TOO_MANY:
            return 429, _("Too many wrong tokens. Use the latest link, or wait a minute.")
        case _:
            return 403, _("This token is wrong. It changes at every start of mcp-webclient: use the latest link.")


def router(
    sign_in: SignIn, *, home: str = "/", signed_out: SignedOut | None = None, refused: Refused | None = None
) -> APIRouter:
    """Return the routes to sign in and out; `home` is the page after signing in if no other was wanted."""
    pages = SignInPages(sign_in, home, signed_out, refused)
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/login", pages.open, methods=["GET"])
    routes.add_api_route("/login", pages.post, methods=["POST"])
    routes.add_api_route("/logout", pages.leave, methods=["POST"])
    return routes
