"""This program as authorization servers know it: its redirect URIs, and the document that describes it.

OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document); RFC 7591, section 2.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from webclient.domain.model import Json
from webclient.network import is_loopback
from webclient.settings import Settings

CALLBACK_PATH = "/oauth/callback"
DOCUMENT_PATH = "/oauth/client.json"
NAME = "mcp-webclient"

_LOOPBACK_NAMES = ("127.0.0.1", "localhost")


def client_document(settings: Settings) -> Json | None:
    """Return the metadata document of this program; None unless it has a public https address."""
    client_id = document_url(settings)
    return {"client_id": client_id, **client_metadata(callback_url(settings))} if client_id else None


def document_url(settings: Settings) -> str | None:
    """Return the address of the metadata document, which is then the client ID; None without one."""
    base = base_url(settings)
    return base + DOCUMENT_PATH if base.startswith("https://") else None


def callback_url(settings: Settings) -> str:
    """Return the redirect URI of browsers that are not known to use another host name."""
    return base_url(settings) + CALLBACK_PATH


def base_url(settings: Settings) -> str:
    """Return the address under which browsers reach this program."""
    return settings.public_url or f"http://127.0.0.1:{settings.port}"


def redirect_uris(settings: Settings) -> list[str]:
    """Return all redirect URIs, for a person who registers this program by hand."""
    return with_twin(callback_url(settings))


def client_metadata(redirect_uri: str) -> Json:
    """Return the metadata to register with; no secret, because PKCE protects the code (RFC 7636)."""
    return {
        "client_name": NAME,
        "redirect_uris": with_twin(redirect_uri),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native" if is_loopback(urlsplit(redirect_uri).hostname or "") else "web",
    }


def with_twin(redirect_uri: str) -> list[str]:
    """Return a redirect URI with its twin: `127.0.0.1` and `localhost` are one machine, but two sites of a browser."""
    parts = urlsplit(redirect_uri)
    if parts.hostname not in _LOOPBACK_NAMES:
        return [redirect_uri]
    port = f":{parts.port}" if parts.port else ""
    return [urlunsplit(parts._replace(netloc=name + port)) for name in _LOOPBACK_NAMES]
