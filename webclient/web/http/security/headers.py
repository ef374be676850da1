"""Puts on every response, refusals and errors included, what the browser must not do with it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.web.http.security.headless import let_read

_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "media-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
}


_FRAMED = {
    # A page that is isolated (COEP) shows only frames that agree to it.
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "cross-origin",
}

_REVALIDATED = frozenset({"/embed/v1.js"})
"""Paths outside of `/static/` that browsers may keep, and check each time."""


class SecurityHeaders:
    """Adds the content security policy and its kin; only `embed_origins` may frame us.

    The response to a request with `state.frame_origins` may be framed by exactly those origins instead.

    `named` says that browsers reach us by a name other than localhost.
    """

    def __init__(self, app: ASGIApp, embed_origins: Sequence[str], named: bool = False) -> None:
        self.app = app
        self.named = named
        self.headers = _headers(embed_origins, named)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add(MutableHeaders(scope=message), scope)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _add(self, headers: MutableHeaders, scope: Scope) -> None:
        if scope.get("state", {}).get("is_complete"):
            # Another process of ours has handled the request, and set them.
            return
        origins = scope.get("state", {}).get("frame_origins")
        let_read(headers, scope)
        headers.update(self.headers if origins is None else _headers(origins, self.named) | _FRAMED)
        if scope["path"].startswith("/static/") or scope["path"] in _REVALIDATED:
            # Assets have addresses of their own content; other files are checked each time, so that an upgrade is seen.
            headers.setdefault("Cache-Control", "no-cache")
        else:
            # What a server asked and a person answered stays out of caches and the back button after signing
            # out.
            headers["Cache-Control"] = "no-store"


def _headers(embed_origins: Sequence[str], named: bool) -> dict[str, str]:
    headers = {
        "Content-Security-Policy": _policy(embed_origins),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": _referrer_policy(named),
        "Cross-Origin-Opener-Policy": "same-origin",
        # By this a script of ours tells our answers from those of a proxy in front (`own_response.js`).
        "X-Webclient": "1",
    }
    if not embed_origins:
        # This older header knows no list of origins, so it is left out when there is one.
        headers["X-Frame-Options"] = "DENY"
    return headers


def _policy(embed_origins: Sequence[str]) -> str:
    policy = _POLICY | {"frame-ancestors": " ".join(embed_origins) or "'none'"}
    return "; ".join(f"{name} {value}" for name, value in policy.items())


def _referrer_policy(named: bool) -> str:
    # Over plain HTTP to a name other than localhost browsers leave out Sec-Fetch-Site, and under no-referrer
    # they write "Origin: null" for our own forms (Fetch, append a request Origin header), which we must
    # refuse. Both values tell other sites nothing.
    return "same-origin" if named else "no-referrer"
