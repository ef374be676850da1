"""The connection to the provider: bounded in time and size, without redirects, compression or proxies.

Its addresses come from the administrator and from the provider itself, so they may be private.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2

from webclient.network import tls_context

LARGEST = 262_144
"""Bytes of an answer."""

STEP_SECONDS = 5.0
TOTAL_SECONDS = 15.0
"""Seconds for one step of a sign-in, with all its requests."""

Transport = Callable[[], httpx2.AsyncBaseTransport]
"""Makes a transport, which is closed after use."""


class TooLargeError(httpx2.TransportError):
    """An answer is larger than any of a provider should be, or compressed."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Passes answers on up to `LARGEST` bytes."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises TooLargeError while the body is read."""
        # A small compressed body can be a huge one.
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise TooLargeError("compressed")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        assert isinstance(self._response.stream, httpx2.AsyncByteStream)  # noqa: S101  (of an asynchronous transport)
        async for piece in self._response.stream:
            size += len(piece)
            if size > LARGEST:
                raise TooLargeError("too large")
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


def transport_of(ca_file: Path | None) -> Transport:
    """Return what makes the connections; `ca_file` is that of the settings."""
    return lambda: httpx2.AsyncHTTPTransport(verify=tls_context(ca_file), trust_env=False)


def client_options(transport: Transport) -> dict[str, Any]:
    """Return the options of a client for one exchange."""
    return {
        "transport": BoundedTransport(transport()),
        "timeout": STEP_SECONDS,
        "trust_env": False,
        "follow_redirects": False,
    }
