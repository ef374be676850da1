"""The base of the pages of the demo's two sites: a template with autoescape, strict headers, only forms of its own.

The sites are servers in their own right, so that they can be copied: nothing here is shared with the web client.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.support.paths import TEMPLATES

MAX_BODY = 10_000
"""Bytes; the largest form has one key."""

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES / "demo"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(name: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Render the template `name` with `context`, which is escaped."""
    return HTMLResponse(_templates.get_template(name).render(context), status_code=status)


def go_to(address: str) -> RedirectResponse:
    """Send the browser on with a GET, so that a reload repeats nothing."""
    return RedirectResponse(address, status_code=303)


def middleware(*, host: str, forms_lead_to: Sequence[str] = ()) -> list[Middleware]:
    """Return what stands before the pages of a site that is reached as `host`.

    `forms_lead_to` names the other origins to which a form may redirect in the end: browsers apply `form-action` to
    the whole way.
    """
    return [
        # Any other name that resolves to this computer is refused (DNS rebinding).
        Middleware(TrustedHostMiddleware, allowed_hosts=[host], www_redirect=False),
        Middleware(StrictHeaders, forms_lead_to=forms_lead_to),
        Middleware(OwnFormsOnly),
        Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY),
    ]


class StrictHeaders:
    """No script, no frame around the page, no referrer to anyone, no copy in a cache."""

    def __init__(self, app: ASGIApp, forms_lead_to: Sequence[str]) -> None:
        self.app = app
        policy = ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]
        self._headers = {
            "Content-Security-Policy": "; ".join([*policy, " ".join(["form-action 'self'", *forms_lead_to])]),
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class OwnFormsOnly:
    """Refuses a form that another site's page posts through a person's browser (CSRF).

    Browsers say in `Sec-Fetch-Site` where a request comes from, and no page can forge it. A cookie that is
    `SameSite=Lax` would not be enough: every port of a host is the same site.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            seen = Headers(scope=scope).get("sec-fetch-site", "missing")
            if seen != "same-origin":
                words = f"This form was not sent from here: Sec-Fetch-Site is {seen!r}, expected 'same-origin'."
                await PlainTextResponse(words, status_code=403)(scope, receive, send)
                return
        await self.app(scope, receive, send)
