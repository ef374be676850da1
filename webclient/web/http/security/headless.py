"""Headless hosts: pages of embedding applications that show the questions themselves, with the Bearer of a session.

Only the API is open to them, only from the origins of embedders, and never with a cookie: a response is readable for
the origin of its session alone (`origin.py`), and preflight requests are answered before anybody is identified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

API = "/api/v1/"

_SHARED = re.compile(r"/embed/[^/]+")
"""Paths that pages of any site may read, as they are the same for everyone: the module of the element, and frames,
which are empty until a page has a token. By its status the element finds out why a frame is not shown."""

Origins = Callable[[], Set[str]]
"""Gives the origins that count now, in lower case: a reload changes them."""

_CONSENT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type, last-event-id",
    "Access-Control-Max-Age": "600",
}


class HeadlessHosts:
    """Answers preflight requests (Fetch, CORS protocol) for the API from the `origins` of the moment."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(API):
            connection = HTTPConnection(scope)
            origin = connection.headers.get("origin", "").lower()
            if origin in self.origins():
                # Until `origin.py` decides on who was identified: a page may read that it has no session.
                connection.state.reader = origin
                if scope["method"] == "OPTIONS" and "access-control-request-method" in connection.headers:
                    # Safe: it consents to headers, and the request that follows needs the secret of a session.
                    await Response(status_code=204, headers=_CONSENT)(scope, receive, send)
                    return
        await self.app(scope, receive, send)


def is_shared(scope: Scope) -> bool:
    """Return whether pages of any site may read the response."""
    return scope["method"] in ("GET", "HEAD") and _SHARED.fullmatch(scope["path"]) is not None


def let_read(headers: MutableHeaders, scope: Scope) -> None:
    """Let any page read what is shared, and the page of the response read it.

    No header says that cookies may be sent.
    """
    if is_shared(scope):
        headers["Access-Control-Allow-Origin"] = "*"
        return
    reader = scope.get("state", {}).get("reader")
    if reader:
        headers["Access-Control-Allow-Origin"] = reader
        headers.add_vary_header("Origin")
