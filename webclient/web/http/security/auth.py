"""Closes every path to requests without a principal, except those in `OPEN`.

A route that is added tomorrow cannot forget to check.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.auth import Identity, SignedOutOfAppError
from webclient.domain.i18n import gettext as _
from webclient.web.http.security.embedded import is_within

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


LabelOf = Callable[[str], str | None]
"""Gives what people call an embedding application, by its name in the embedders file."""

_TAB = re.compile(r"/panel/([^/]+)/tab")
"""The page of a tab that an application's frame has opened: its user signs in there and nowhere here."""


class Authentication:
    """Sets `request.state.principal`, or refuses with 401."""

    def __init__(self, app: ASGIApp, identity: Identity, label_of: LabelOf) -> None:
        self.app = app
        self.identity = identity
        self.label_of = label_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # No route speaks WebSocket, and its handshake would pass the checks that are made for requests.
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http" and not _is_open(scope["path"]):
            connection = HTTPConnection(scope)
            principal = await self.identity.identify(connection)
            if principal is None:
                raise self._refusal(scope["path"])
            embedding = principal.embedding
            if embedding and not is_within(embedding.granted, scope["method"], scope["path"]):
                raise HTTPException(403, _("This is not open to sessions of an embedding application."))
            connection.state.principal = principal
        await self.app(scope, receive, send)

    def _refusal(self, path: str) -> Exception:
        tab = _TAB.fullmatch(path)
        if tab and (label := self.label_of(tab[1])):
            return SignedOutOfAppError(label, was_ended=False)
        detail = _("You are not signed in. {instructions}").format(instructions=self.identity.sign_in.instructions())
        return HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)
