"""The cookie that binds a sign-in to the browser that opened it.

Each sign-in has its own, named after its `state`, so that two in one browser do not disturb each other. `Lax`: it is
sent when the authorization server leads the browser back, and with nothing that another site embeds.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from webclient.servers.sign_in import CALLBACK_PATH

LONGEST = 3600
"""Seconds for which a sign-in can be finished."""


def add(http_request: Request, response: Response, url: str, nonce: str) -> None:
    """Give the browser the nonce of the sign-in that it opens at `url`."""
    _set(http_request, response, _name(http_request, urlsplit(url).query), nonce, LONGEST)


def read(http_request: Request) -> str | None:
    """Return the nonce of this browser for the sign-in with which it comes back."""
    return http_request.cookies.get(_name(http_request, http_request.url.query))


def remove(http_request: Request, response: Response) -> None:
    """Take the cookie of the sign-in away with which the browser came back."""
    if read(http_request) is not None:
        _set(http_request, response, _name(http_request, http_request.url.query), "", 0)


def _set(http_request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    secure = http_request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, path=CALLBACK_PATH, httponly=True, samesite="lax", secure=secure)


def _name(http_request: Request, query: str) -> str:
    # Browsers keep cookies by host and not by port, so the port is in the name.
    state = "".join(parse_qs(query).get("state", [""])[:1])
    digest = sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"webclient-{http_request.url.port or 0}-sign-in-{digest}"
