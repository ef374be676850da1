"""Closes every path to requests without a principal, except those in `OPEN`.

A route that is added tomorrow cannot forget to check.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.http.security.embedded import is_within
from webclient.i18n import gettext as _
from webclient.identity import Identity

OPEN = frozenset(
    {
        "/login",
        "/language",
        "/healthz",
        "/readyz",
        "/metrics",
        "/auth/login",
        "/auth/callback",
        "/auth/backchannel-logout",
        "/oauth/callback",
        "/oauth/client.json",
        "/service-worker.js",
        "/api/v1/sessions",
        "/api/v1/embed/sessions",
    }
)
"""Paths that need no sign-in: they show nothing of a user, or check a credential of their own."""

OPEN_BELOW = ("/static/", "/oauth/result/", "/embed/")
"""Folders that need no sign-in: the same files and frames for everyone, and pages whose names cannot be guessed."""


class Authentication:
    """Sets `request.state.principal`, or refuses with 401."""

    def __init__(self, app: ASGIApp, identity: Identity) -> None:
        self.app = app
        self.identity = identity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # No route speaks WebSocket, and its handshake would pass the checks that are made for requests.
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http" and not _is_open(scope["path"]):
            connection = HTTPConnection(scope)
            principal = await self.identity.identify(connection)
            if principal is None:
                raise self._refusal()
            embedding = principal.embedding
            if embedding and not is_within(embedding.granted, scope["method"], scope["path"]):
                raise HTTPException(403, _("This is not open to sessions of an embedding application."))
            connection.state.principal = principal
        await self.app(scope, receive, send)

    def _refusal(self) -> HTTPException:
        detail = _("You are not signed in. {instructions}").format(instructions=self.identity.sign_in.instructions())
        return HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)
