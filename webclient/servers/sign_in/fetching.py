"""Opens a guarded client for one server: which networks the server may lead to follows from where it is itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx2

from webclient.domain.model import ServerKey
from webclient.network import CheckedTransport, Network, Zone, tls_context, zones_open_to
from webclient.servers.sign_in.guarded_fetch import HEADERS, STEP_SECONDS, GuardedFetch
from webclient.servers.sign_in.trace import Trace

TransportOf = Callable[[Collection[Zone]], httpx2.AsyncBaseTransport]
"""Makes the transport to servers in these zones."""

OpenTo = Callable[[ServerKey, str], Awaitable[tuple[Collection[Zone], Sequence[Network]]]]
"""Gives the zones and networks to which a server at that address may lead."""


async def _by_address(_key: ServerKey, server_url: str) -> tuple[Collection[Zone], Sequence[Network]]:
    return await zones_open_to(server_url), ()


class Fetching:
    """Makes a client for each flow, so that no pool of connections is shared by two servers.

    `networks` are those to which any server may lead, because this program's operator says so; `open_to` gives those to
    which one server may. `ca_file` is that of the settings.
    """

    def __init__(
        self,
        trace: Trace,
        transport_of: TransportOf | None = None,
        *,
        networks: Sequence[Network] = (),
        open_to: OpenTo = _by_address,
        ca_file: Path | None = None,
    ) -> None:
        self._trace = trace
        self._networks = networks
        self._transport_of = transport_of
        self._open_to = open_to
        self._ca_file = ca_file

    @asynccontextmanager
    async def on_behalf_of(self, key: ServerKey, server_url: str) -> AsyncIterator[GuardedFetch]:
        """Yield a client for the addresses that a server names."""
        zones, networks = await self._open_to(key, server_url)
        async with httpx2.AsyncClient(
            transport=self._transport_of(zones) if self._transport_of else self._checked(zones, networks),
            timeout=STEP_SECONDS,
            trust_env=False,
            follow_redirects=False,
            headers=HEADERS,
        ) as client:
            yield GuardedFetch(client, partial(self._trace.add, key))

    def _checked(self, zones: Collection[Zone], networks: Sequence[Network]) -> httpx2.AsyncBaseTransport:
        return CheckedTransport(zones, tls_context(self._ca_file), [*self._networks, *networks])
