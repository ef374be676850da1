"""Credentials in a request and the browser that sends them, and how secrets are compared."""

from __future__ import annotations

from hmac import compare_digest
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from webclient.domain.model import Browser
from webclient.settings import Settings

GATEWAY_PATH = "/mcp"
"""The address of all servers together; those of each are below."""


def bearer_token(connection: HTTPConnection) -> str | None:
    """Return the token of an `Authorization: Bearer` header, if there is one (RFC 6750 section 2.1)."""
    scheme, _space, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def is_gateway(connection: HTTPConnection) -> bool:
    """Return whether a request goes to an address of agents, where further tokens are accepted."""
    path: str = connection.scope["path"]
    return f"{path}/".startswith(f"{GATEWAY_PATH}/")


def utf_8(given: str) -> str:
    """Return the value of a header as UTF-8, which proxies send: Starlette decodes Latin-1, which keeps all bytes."""
    try:
        return given.encode("latin-1").decode()
    except UnicodeError:
        return given


def same_secret(given: str, expected: str) -> bool:
    """Return whether two secrets are equal, compared in constant time."""
    return compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode("utf-8", "surrogatepass"))


def browser_of(connection: HTTPConnection) -> Browser:
    """Return what a list of sign-ins says of the sender of a request."""
    address = connection.client.host if connection.client else ""
    return Browser(user_agent=connection.headers.get("user-agent", ""), address=address)


def is_over_https(connection: HTTPConnection, settings: Settings) -> bool:
    """Return whether the browser sent the request over https: its scheme says so, or its host is the public one."""
    if connection.scope.get("scheme") == "https":
        return True
    public = urlsplit(settings.public_url or "")
    # A proxy that is not named in the settings ends TLS without our knowing it; the host is that of the browser.
    return public.scheme == "https" and public.netloc == connection.headers.get("host", "").lower()
