"""Lets in only who is signed in: a browser by its session cookie, a script by the Bearer token.

Everything is closed unless it stands in `OPEN`; a route that is added tomorrow cannot forget to ask.
"""

from __future__ import annotations

from hmac import compare_digest
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.i18n import gettext as _
from webclient.model import LOCAL_USER
from webclient.settings import Settings

OPEN = frozenset({"/login", "/healthz"})
"""The paths that answer whoever asks: they show nothing of a user."""

OPEN_BELOW = ("/static/",)
"""The folders that answer whoever asks: the same files for all."""


class Sessions(Protocol):
    """Who is signed in, by a random session id that is not the token."""

    async def create(self, user_id: str) -> str:
        """Return the id of a new session of the user."""
        ...

    async def user_of(self, session_id: str) -> str | None:
        """Return whose session this is, or None when there is no such session."""
        ...

    async def remove(self, session_id: str) -> None:
        """End the session."""
        ...


def cookie_name(settings: Settings) -> str:
    """Return the name of the session cookie; browsers keep cookies by host, so the port is in it."""
    return f"webclient-{settings.port}"


def same_secret(given: str, expected: str) -> bool:
    """Whether the two are equal, in a time that does not tell how much of them is."""
    return compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode("utf-8", "surrogatepass"))


def bearer(connection: HTTPConnection) -> str | None:
    """Return the token of an `Authorization: Bearer` header (RFC 6750 section 2.1), if there is one."""
    scheme, _space, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


class Authentication:
    """Sets `request.state.user_id` and, for a browser, `request.state.session_id`; or refuses with 401."""

    def __init__(self, app: ASGIApp, settings: Settings, sessions: Sessions) -> None:
        self.app = app
        self.settings = settings
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # Nothing here speaks WebSocket, and its handshake would pass the checks that are made for
            # requests.
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http" and not _is_open(scope["path"]):
            connection = HTTPConnection(scope)
            user_id = await self._user_of(connection)
            if user_id is None:
                raise _refusal()
            connection.state.user_id = user_id
        await self.app(scope, receive, send)

    async def _user_of(self, connection: HTTPConnection) -> str | None:
        connection.state.session_id = None
        token = bearer(connection)
        if token is not None:
            # A wrong token is not helped by a cookie: the caller said who it wants to be.
            return LOCAL_USER if same_secret(token, self.settings.token) else None
        session_id = connection.cookies.get(cookie_name(self.settings))
        connection.state.session_id = session_id
        return await self.sessions.user_of(session_id) if session_id else None


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)


def _refusal() -> HTTPException:
    return HTTPException(
        401,
        _(
            "You are not signed in. Open the link that mcp-webclient wrote after “Ready:” when it started, "
            "or paste the token from it at /login. Scripts send it as “Authorization: Bearer TOKEN”."
        ),
        {"WWW-Authenticate": "Bearer"},
    )
