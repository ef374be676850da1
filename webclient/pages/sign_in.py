"""Signs a browser in with the token and out again.

The token is exchanged for a session cookie; it is in no page, and the hop page takes it off the address bar. The
browser's history keeps the link: who minds that has one printed that works once.
"""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from webclient.http.security.attempts import WINDOW, Attempts
from webclient.http.security.auth import Sessions, cookie_name, same_secret
from webclient.http.security.one_time import OneTimeCode
from webclient.http.templating import render
from webclient.i18n import gettext as _
from webclient.model import LOCAL_USER
from webclient.settings import Settings

_PAGE = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~?=&%+-]*")
"""A path on this host and nothing else: a second slash, even a backslash, would begin the name of another host."""


class SignIn:
    """The pages around the session."""

    def __init__(self, settings: Settings, sessions: Sessions, once: OneTimeCode | None = None) -> None:
        self._once = once
        self._settings = settings
        self._sessions = sessions
        self._attempts = Attempts(settings.max_sign_in_attempts)

    async def open(self, request: Request, token: str | None = None, next: str = "/") -> Response:  # noqa: A002
        """Sign in with the token of the link, or show the form to paste it into; then go on to the page `next`."""
        return self._form(request, next) if token is None else await self._try(request, token, next)

    async def post(
        self,
        request: Request,
        token: Annotated[str, Form()] = "",
        next: Annotated[str, Form()] = "/",  # noqa: A002
    ) -> Response:
        """Sign in with the pasted token, then go on to the page `next`."""
        return await self._try(request, token.strip(), next)

    async def leave(self, request: Request) -> Response:
        """End the session, in the store as well as in the browser."""
        session_id = request.cookies.get(cookie_name(self._settings))
        if session_id:
            await self._sessions.remove(session_id)
        response = RedirectResponse("/login", status_code=303)
        response.headers["Set-Cookie"] = self._cookie(request, "", "Max-Age=0")
        return response

    async def _try(self, request: Request, token: str, page: str) -> Response:
        # The right token is never refused, however many wrong ones came before: any web page can send those from the
        # person's own address, in frames of this one.
        if same_secret(token, self._settings.token) or (self._once is not None and self._once.take(token)):
            return await self._enter(request, page)
        if self._once is not None and self._once.matches(token):
            return self._form(
                request,
                page,
                _("This link was used before, and it works once. Restart mcp-webclient for a new one."),
                403,
            )
        address = request.client.host if request.client else ""
        if not self._attempts.add_wrong(address, token):
            return self._form(request, page, _("Too many wrong tokens. Use the newest link, or wait a minute."), 429)
        return self._form(
            request,
            page,
            _("This is not the token. It changes each time mcp-webclient starts; use the newest link."),
            403,
        )

    async def _enter(self, request: Request, page: str) -> Response:
        # A page that goes on by itself rather than a redirect: when the link was clicked on another site, a
        # redirected request still counts as that site's, and the browser holds back a Strict cookie.
        response = render(request, "hop.html", page=_own(page))
        response.headers["Set-Cookie"] = self._cookie(request, await self._sessions.create(LOCAL_USER))
        return response

    def _form(self, request: Request, page: str, wrong: str | None = None, status: int = 200) -> Response:
        headers = {"Retry-After": str(int(WINDOW))} if status == 429 else None
        return render(request, "login.html", status=status, headers=headers, frame=None, wrong=wrong, page=_own(page))

    def _cookie(self, request: Request, value: str, *more: str) -> str:
        # Written by hand: http.cookies knows Partitioned (CHIPS) from Python 3.14 on only.
        flags = ["Path=/", "HttpOnly", *more]
        if self._settings.embed_origins:
            # In a frame of another site nothing but this combination is sent back; browsers take it from
            # http://localhost as well. OriginCheck still stops what that site would send itself.
            flags += ["SameSite=None", "Secure", "Partitioned"]
        else:
            flags += ["SameSite=Strict", *(["Secure"] if request.url.scheme == "https" else [])]
        return "; ".join([f"{cookie_name(self._settings)}={value}", *flags])


def _own(page: str) -> str:
    """Return the page to go on to if it is one of ours, else the inbox."""
    return page if _PAGE.fullmatch(page) else "/"


def router(settings: Settings, sessions: Sessions, once: OneTimeCode | None = None) -> APIRouter:
    """Return the routes to sign in and out; `once` is a code that signs in besides the token, one time."""
    sign_in = SignIn(settings, sessions, once)
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/login", sign_in.open, methods=["GET"])
    routes.add_api_route("/login", sign_in.post, methods=["POST"])
    routes.add_api_route("/logout", sign_in.leave, methods=["POST"])
    return routes
