"""Closes every path to requests without a principal, except those in `OPEN`.

A route that is added tomorrow cannot forget to check. Each request that has passed is reported to the service that
prepares for its user.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Set

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.auth import METADATA_PATH, Identity, SignedOutOfAppError
from webclient.domain.i18n import gettext as _

OPEN = frozenset(
    {
        "/login",
        "/language",
        "/theme",
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

OPEN_BELOW = ("/static/", "/oauth/result/", "/embed/", f"{METADATA_PATH}/")
"""Folders that need no sign-in: the same files and frames for everyone, and pages whose names cannot be guessed."""


LabelOf = Callable[[str], str | None]
"""Gives what people call an embedding application, by its name in the embedders file."""

_TAB = re.compile(r"/panel/([^/]+)/tab")
"""The page of a tab that an application's frame has opened: its user signs in there and nowhere here."""

_READING = frozenset({"GET", "HEAD"})

_ID = r"[A-Za-z0-9_-]+"

_API_READ = rf"me|events|requests(/{_ID})?|calls/{_ID}|openapi\.json"

_CATALOG = "tools|prompts|resources|resource-templates"

_ROUTES = {
    "inbox:read": {"GET": re.compile(rf"/panel/.+|/stream|/requests/{_ID}(/.+)?|/api/v1/({_API_READ})")},
    "inbox": {
        "POST": re.compile(
            rf"/panel/.+|/visible|/requests/{_ID}(/.+)?|/api/v1/requests/{_ID}/(answer|finished|give-up|more-time|reopen)"
        ),
    },
    "ask": {
        "GET": re.compile(rf"/api/v1/(me|requests/{_ID}(/content)?)"),
        "POST": re.compile(rf"/api/v1/requests(/{_ID}/withdraw)?"),
    },
    "calls": {
        "GET": re.compile(rf"/api/v1/(me|servers(/{_ID}(/({_CATALOG}))?)?|calls(/{_ID})?)"),
        "POST": re.compile(rf"/api/v1/calls(/{_ID}/(cancel|retry))?"),
    },
}

_ROUTES["inbox"] |= _ROUTES["inbox:read"]


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
            # Safe: nothing that a client sends gets into the state, only what another process of ours has found out.
            principal = getattr(connection.state, "principal", None) or await self.identity.identify(connection)
            if principal is None:
                raise self._refusal(connection)
            embedding = principal.embedding
            if embedding and not is_within(embedding.granted, scope["method"], scope["path"]):
                raise HTTPException(403, _("This is not open to sessions of an embedding application."))
            connection.state.principal = principal
        await self.app(scope, receive, send)

    def _refusal(self, connection: HTTPConnection) -> Exception:
        tab = _TAB.fullmatch(connection.scope["path"])
        if tab and (label := self.label_of(tab[1])):
            return SignedOutOfAppError(label, was_ended=False)
        detail = _("You are not signed in. {instructions}").format(instructions=self.identity.sign_in.instructions())
        return HTTPException(401, detail, {"WWW-Authenticate": self.identity.challenge(connection)})


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)


def is_within(granted: Set[str], method: str, path: str) -> bool:
    """Return whether the scopes that an embedding application gave open this route."""
    wanted = "GET" if method in _READING else method
    routes = (_ROUTES[scope].get(wanted) for scope in granted if scope in _ROUTES)
    return any(route is not None and route.fullmatch(path) for route in routes)


Arrived = Callable[[str], Awaitable[None]]
"""Gets the id of a user who is here."""


class Arrivals:
    """Calls `arrived` with the user of each request before its route."""

    def __init__(self, app: ASGIApp, arrived: Arrived) -> None:
        self.app = app
        self.arrived = arrived

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (principal := getattr(HTTPConnection(scope).state, "principal", None)):
            await self.arrived(principal.user_id)
        await self.app(scope, receive, send)
