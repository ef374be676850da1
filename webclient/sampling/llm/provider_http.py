"""The HTTP client of a provider: one TLS context for all, no redirects, few headers, bounded responses."""

from __future__ import annotations

from functools import partial

import httpx2

from webclient.network import tls_context
from webclient.sampling.llm.bounded_response import bound
from webclient.sampling.llm.provider import Provider

_HEADERS = frozenset(
    {"accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"}
    | {"transfer-encoding", "user-agent"}
)
"""Headers that a provider gets. The package adds others: about this machine, and from environment variables."""


def http_client(provider: Provider) -> httpx2.AsyncClient:
    """Return the HTTP client for a provider."""
    return httpx2.AsyncClient(
        transport=provider.transport,
        # A redirect would take the key and the conversation to an address that is not in the file.
        follow_redirects=False,
        verify=tls_context(provider.ca_file),
        timeout=httpx2.Timeout(30, connect=10, read=provider.seconds),
        event_hooks={"request": [partial(_own_headers, provider)], "response": [bound]},
    )


async def _own_headers(provider: Provider, request: httpx2.Request) -> None:
    for name in [name for name in request.headers if name not in _HEADERS]:
        del request.headers[name]
    # A compressed answer could be a thousand times larger than it looks.
    request.headers["accept-encoding"] = "identity"
    request.headers["user-agent"] = "mcp-webclient"
    if provider.key:
        request.headers["authorization"] = f"Bearer {provider.key}"
    else:
        request.headers.pop("authorization", None)
