"""Connections to checked addresses only, so that neither a DNS server nor a redirect leads where a server may not.

The address is checked where the connection is made: the connection goes to the checked address, not to the name. The
certificate is still compared with the name.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Any

import anyio
import httpcore2
import httpx2

from webclient.network.addresses import Network, Zone, is_in, zone_of
from webclient.network.outgoing import use_pool
from webclient.support.log_lines import rare_logger

logger = rare_logger(__name__)

_MOST_IDLE = 10
"""Idle connections that stay open for the next request."""


class ForbiddenAddressError(Exception):
    """A server named a `host` that is at an `address` to which it may not lead."""

    def __init__(self, host: str, address: str) -> None:
        super().__init__(f"{host} is at {address}")
        self.host = host
        self.address = address


class UnknownHostError(httpcore2.ConnectError):
    """A host has no address. To users, who must not look up internal names, it is the same as a forbidden one."""


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to addresses in these zones and networks alone; a host with any other address is refused."""

    def __init__(self, zones: Collection[Zone], networks: Sequence[Network] = ()) -> None:
        self._zones = zones
        self._networks = networks
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (the interface of httpcore2)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve, check all addresses, and connect to the first that answers. Raises ForbiddenAddressError."""
        error: Exception = UnknownHostError(f"{host} has no address")
        for address in await self._addresses(host, port, timeout):
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as failed:
                error = failed
        raise error

    async def _addresses(self, host: str, port: int, seconds: float | None) -> list[str]:
        try:
            with anyio.fail_after(seconds):
                addresses = await resolve(host, port)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise UnknownHostError(f"{host} cannot be resolved") from error
        for address in addresses:
            if zone_of(address) not in self._zones and not is_in(address, self._networks):
                # For the operator alone: users get one answer for this and for a host that was not found.
                logger.warning("%.200r is at %s, where no server of a user may lead.", host, address)
                raise ForbiddenAddressError(host, address)
        return addresses

    async def sleep(self, seconds: float) -> None:
        """Wait between two attempts."""
        await anyio.sleep(seconds)


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Sends requests of httpx2 over a pool of checked connections."""

    def __init__(self, zones: Collection[Zone], tls: ssl.SSLContext, networks: Sequence[Network] = ()) -> None:
        # Without the default limit of ten connections: the rooms above limit their requests, and one that waits until
        # others have timed out would fail with them.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=None,
            max_keepalive_connections=_MOST_IDLE,
            network_backend=CheckedBackend(zones, networks),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises the errors of httpcore2, and ForbiddenAddressError."""
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        response = await self._pool.handle_async_request(
            httpcore2.Request(
                request.method, url, headers=request.headers.raw, content=request.stream, extensions=request.extensions
            )
        )
        return httpx2.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """The transport of httpx2 over connections to the internet and these networks alone.

    Its errors are those of httpx2; behind a ConnectError for a forbidden address is the ForbiddenAddressError. No proxy
    of the environment is used, because a proxy connects where it likes.
    """

    def __init__(self, tls: ssl.SSLContext, limits: httpx2.Limits, networks: Sequence[Network]) -> None:
        super().__init__(verify=tls, limits=limits, trust_env=False)
        pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=CheckedBackend({Zone.PUBLIC}, networks),
        )
        use_pool(self, pool)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises the errors of httpx2."""
        try:
            return await super().handle_async_request(request)
        except ForbiddenAddressError as error:
            raise httpx2.ConnectError(str(error), request=request) from error


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_stream():
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raises OSError, UnicodeError."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
