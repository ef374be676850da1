"""The language of a request, and the time zone of the person at the page.

The language is that of the page that sends it, else the chosen one, else the browser's.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.domain.i18n import speaking
from webclient.domain.languages import LANGUAGES, negotiate, translations
from webclient.domain.time_zones import read_zone

COOKIE = "webclient-language"
"""The name of the cookie with the language that was chosen; it holds for each port of this host."""

_PAGE_LANGUAGE = "Page-Language"
"""The header with which the scripts of an open page say its language, so that its parts match when it was changed in
another tab."""

_LIFETIME = 400 * 24 * 60 * 60
"""Seconds: the longest that browsers keep a cookie."""


class Languages:
    """Sets the language of each request for the code that answers it, and names it in the response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            await self.app(scope, receive, send)
            return
        language = language_of(HTTPConnection(scope))

        async def send_with_language(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Language"] = language
            await send(message)

        with speaking(translations(language)):
            await self.app(scope, receive, send_with_language)


def language_of(connection: HTTPConnection) -> str:
    """Return the language for a request."""
    for chosen in (connection.headers.get(_PAGE_LANGUAGE), connection.cookies.get(COOKIE)):
        if chosen in LANGUAGES:
            return str(chosen)
    return negotiate(", ".join(connection.headers.getlist("accept-language")))


def language_cookie(connection: HTTPConnection, language: str, *, framed: bool) -> dict[str, str]:
    """Return the header that makes a browser remember a language; `framed` in pages of other sites as well."""
    return choice_cookie(connection, COOKIE, language, framed=framed)


def choice_cookie(connection: HTTPConnection, name: str, value: str, *, framed: bool) -> dict[str, str]:
    """Return the header that makes a browser remember how it shows pages."""
    # Nothing secret, so Lax: a link from another site opens the page in the language that was chosen. In a frame of
    # another site only the last three together are sent back; http.cookies knows Partitioned from Python 3.14 on.
    flags = ["SameSite=None", "Secure", "Partitioned"] if framed else ["SameSite=Lax"]
    if not framed and connection.url.scheme == "https":
        flags.append("Secure")
    return {"Set-Cookie": "; ".join([f"{name}={value}", "Path=/", f"Max-Age={_LIFETIME}", "HttpOnly", *flags])}


_TIME_ZONE = "time_zone"
"""The cookie that static/js/time_zone.js writes."""


def time_zone(connection: HTTPConnection) -> tzinfo:
    """Return the person's time zone; UTC if the page has no scripts, or the cookie names no zone."""
    return read_zone(unquote(connection.cookies.get(_TIME_ZONE, ""))) or UTC


async def _zone(connection: HTTPConnection) -> tzinfo:
    return time_zone(connection)


TimeZoneDep = Annotated[tzinfo, Depends(_zone)]
