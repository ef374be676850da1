"""The well-known addresses of metadata, and the comparison of resources (RFC 9728, RFC 8414, RFC 8707)."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

_RESOURCE = "/.well-known/oauth-protected-resource"
_SERVER = "/.well-known/oauth-authorization-server"
_OPENID = "/.well-known/openid-configuration"


def resource_metadata_urls(server_url: str, named: str | None) -> list[str]:
    """Return the addresses of a server's metadata in their order: named by its challenge, at its path, at the root.

    MCP 2026-07-28, Authorization, Protected Resource Metadata Discovery; RFC 9728, section 3.1.
    """
    parts = urlsplit(server_url)
    path = parts.path.rstrip("/")
    found = [f"{origin(server_url)}{_RESOURCE}{each}" for each in ((path, "") if path else ("",))]
    return list(dict.fromkeys([*filter(None, [named]), *found]))


def authorization_server_urls(issuer: str) -> list[str]:
    """Return the addresses of an authorization server's metadata in their order.

    MCP 2026-07-28, Authorization, Authorization Server Metadata Discovery; RFC 8414, sections 3.1 and 5.
    """
    path, root = urlsplit(issuer).path.rstrip("/"), origin(issuer)
    if not path:
        return [root + _SERVER, root + _OPENID]
    return [f"{root}{_SERVER}{path}", f"{root}{_OPENID}{path}", f"{root}{path}{_OPENID}"]


def old_authorization_server_url(server_url: str) -> str:
    """Return the address of metadata for a server without its own (MCP 2025-03-26)."""
    return origin(server_url) + _SERVER


def origin(url: str) -> str:
    """Return scheme, host and port of an address, without a user."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def canonical_resource(server_url: str) -> str:
    """Return the identifier of a server as a resource: its address without user and fragment (RFC 8707, section 2)."""
    parts = urlsplit(server_url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit(parts._replace(scheme=parts.scheme.lower(), netloc=host, fragment=""))


def is_resource_of(resource: str, server_url: str) -> bool:
    """Return whether `resource` is the server or a folder above it on the same origin.

    The check is safe because whole segments of the path are compared: `/api` does not cover `/api123`.
    """
    try:
        claimed, actual = urlsplit(canonical_resource(resource)), urlsplit(canonical_resource(server_url))
    except ValueError:
        return False
    if (claimed.scheme, claimed.netloc) != (actual.scheme, actual.netloc):
        return False
    return f"{actual.path.rstrip('/')}/".startswith(f"{claimed.path.rstrip('/')}/")
