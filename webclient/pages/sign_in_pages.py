"""The sign-in page: exchanges a secret for a session, and ends the session.

The page after signing in takes the secret off the address bar. The browser's history keeps the link; `--one-time-link`
prints one that works once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from webclient.http import render
from webclient.i18n import gettext as _
from webclient.identity import SignIn, SignInOutcome

_PAGE = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~?=&%+-]*")
"""A path on this host and nothing else: a second slash, even a backslash, would begin the name of another host."""


class SignInPages:
    """The pages that start and end a session."""

    def __init__(self, sign_in: SignIn) -> None:
        self._sign_in = sign_in

    async def open(self, request: Request, token: str | None = None, next: str = "/") -> Response:  # noqa: A002
        """Sign in with the token of the link, or show the form to paste it into; then continue to the page `next`."""
        return _form(request, next) if token is None else await self._try(request, token, next)

    async def post(
        self,
        request: Request,
        token: Annotated[str, Form()] = "",
        next: Annotated[str, Form()] = "/",  # noqa: A002
    ) -> Response:
        """Sign in with the pasted token, then continue to the page `next`."""
        return await self._try(request, token.strip(), next)

    async def leave(self, request: Request) -> Response:
        """End the session, on the server as well as in the browser."""
        return RedirectResponse("/login", status_code=303, headers=await self._sign_in.sign_out(request))

    async def _try(self, request: Request, secret: str, page: str) -> Response:
        result = await self._sign_in.sign_in(request, secret)
        if result.outcome is not SignInOutcome.SIGNED_IN:
            return _form(request, page, result.outcome, headers=result.headers)
        # A page that continues by itself rather than a redirect: when the link was clicked on another site, a
        # redirected request still counts as that site's, and the browser holds back a Strict cookie.
        return render(request, "signed_in.html", headers=result.headers, page=_own(page))


def _form(
    request: Request, page: str, wrong: SignInOutcome | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    status, sentence = _refusal(wrong) if wrong else (200, None)
    return render(
        request, "sign_in.html", status=status, headers=headers, page_context=None, wrong=sentence, page=_own(page)
    )


def _refusal(outcome: SignInOutcome) -> tuple[int, str]:
    match outcome:
        case SignInOutcome.USED:
            return 403, _("This link works once and was used before. Restart mcp-webclient for a new one.")
        case SignInOutcome.TOO_MANY:
            return 429, _("Too many wrong tokens. Use the latest link, or wait a minute.")
        case _:
            return 403, _("Wrong token. It changes at every start of mcp-webclient; use the latest link.")


def _own(page: str) -> str:
    """Return the page to continue to if it is one of ours, else the inbox."""
    return page if _PAGE.fullmatch(page) else "/"


def router(sign_in: SignIn) -> APIRouter:
    """Return the routes to sign in and out."""
    pages = SignInPages(sign_in)
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/login", pages.open, methods=["GET"])
    routes.add_api_route("/login", pages.post, methods=["POST"])
    routes.add_api_route("/logout", pages.leave, methods=["POST"])
    return routes
