"""The HTTP client of a provider: one TLS context for all, no redirects, few headers, bounded responses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import cast

import httpx2

from webclient.network import tls_context
from webclient.sampling.llm.provider import ModelProvider

LARGEST = 67_108_864
"""Bytes of a response; a streamed answer repeats some 300 bytes with each token."""

_HEADERS = frozenset(
    {"accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"}
    | {"transfer-encoding", "user-agent"}
)
"""Headers that a provider gets. The package adds others: about this machine, and from environment variables."""


class TooLargeError(httpx2.ReadError):
    """The response is larger than `LARGEST`, or compressed although that was declined."""


def http_client(provider: ModelProvider) -> httpx2.AsyncClient:
    """Return the HTTP client for a provider."""
    return httpx2.AsyncClient(
        transport=provider.transport,
        # A redirect would take the key and the conversation to an address that is not in the file.
        follow_redirects=False,
        verify=tls_context(provider.ca_file),
        timeout=httpx2.Timeout(30, connect=10, read=provider.seconds),
        event_hooks={"request": [partial(_own_headers, provider)], "response": [bound]},
    )


async def _own_headers(provider: ModelProvider, request: httpx2.Request) -> None:
    for name in [name for name in request.headers if name not in _HEADERS]:
        del request.headers[name]
    # A compressed answer could be a thousand times larger than it looks.
    request.headers["accept-encoding"] = "identity"
    request.headers["user-agent"] = "mcp-webclient"
    if provider.key:
        request.headers["authorization"] = f"Bearer {provider.key}"
    else:
        request.headers.pop("authorization", None)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream
        self._left = LARGEST

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._left -= len(chunk)
            if self._left < 0:
                raise TooLargeError("The response is too large")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: httpx2.Response) -> None:
    """Let at most `LARGEST` bytes of a response through; a hook of `httpx2.AsyncClient`."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise TooLargeError("The response is compressed")
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))
