"""Opens a guarded client for one server: which networks the server may lead to follows from where it is itself."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial

import httpx2

from webclient.model import ServerKey
from webclient.oauth.guarded_fetch import HEADERS, STEP_SECONDS, GuardedFetch
from webclient.oauth.trace import Trace
from webclient.outbound import CheckedTransport, Network, Zone, zones_open_to

TransportOf = Callable[[Collection[Zone]], httpx2.AsyncBaseTransport]
"""Makes the transport to servers in these zones."""


class Fetching:
    """Makes a client for each flow, so that no pool of connections is shared by two servers.

    `networks` are those to which any server may lead, because this program's operator says so.
    """

    def __init__(
        self, trace: Trace, transport_of: TransportOf | None = None, *, networks: Sequence[Network] = ()
    ) -> None:
        self._trace = trace
        self._networks = networks
        self._transport_of = transport_of or self._checked

    @asynccontextmanager
    async def on_behalf_of(self, key: ServerKey, server_url: str) -> AsyncIterator[GuardedFetch]:
        """Yield a client for the addresses that a server names."""
        async with httpx2.AsyncClient(
            transport=self._transport_of(await zones_open_to(server_url)),
            timeout=STEP_SECONDS,
            trust_env=False,
            follow_redirects=False,
            headers=HEADERS,
        ) as client:
            yield GuardedFetch(client, partial(self._trace.add, key))

    def _checked(self, zones: Collection[Zone]) -> httpx2.AsyncBaseTransport:
        return CheckedTransport(zones, self._tls, self._networks)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()
