"""Credentials in a request and the browser that sends them, and how secrets are compared."""

from __future__ import annotations

from hmac import compare_digest

from starlette.requests import HTTPConnection

from webclient.domain.model import Browser


def bearer_token(connection: HTTPConnection) -> str | None:
    """Return the token of an `Authorization: Bearer` header, if there is one (RFC 6750 section 2.1)."""
    scheme, _space, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def same_secret(given: str, expected: str) -> bool:
    """Return whether two secrets are equal, compared in constant time."""
    return compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode("utf-8", "surrogatepass"))


def browser_of(connection: HTTPConnection) -> Browser:
    """Return what a list of sign-ins says of the sender of a request."""
    address = connection.client.host if connection.client else ""
    return Browser(user_agent=connection.headers.get("user-agent", ""), address=address)
