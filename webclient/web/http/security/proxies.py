"""The proxies in front: from trusted ones only come the client's address, the scheme, and who is signed in.

A header that says who is signed in is the whole of a sign-in, so one that a proxy did not write is never just ignored:
it is an attack, or a mistake that would become one. A signed one may come from anywhere if no proxy is named: the
signature says who wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from webclient.auth import PROXY, TRUSTED_PEER, Refusal, Refusals, address_of
from webclient.domain.i18n import gettext as _
from webclient.settings import UNIX


class TrustedProxies:
    """Believes `X-Forwarded-For` and `-Proto` of peers in the `networks`, and marks their requests.

    The network `unix` has the peers on the Unix socket.

    Refuses with 400 an `asserted` header of another peer, twice, or written with `_`. Without `networks` no peer is
    another one.
    """

    def __init__(
        self, app: ASGIApp, networks: Sequence[str], asserted: Sequence[str] = (), refusals: Refusals | None = None
    ) -> None:
        self.app = app
        # Uvicorn's own, but after the peer was looked at: it replaces the peer by the client.
        self.forwarded = ProxyHeadersMiddleware(app, trusted_hosts=list(networks))  # type: ignore[arg-type]  # the same interface
        self.networks = [ip_network(network) for network in networks if network != UNIX]
        self.trusts_socket = UNIX in networks
        self.refusals = refusals
        self.asserted = frozenset(name.lower() for name in asserted)

    @property
    def names_peers(self) -> bool:
        """Whether some peers are trusted, and all others are not."""
        return bool(self.networks) or self.trusts_socket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (self.names_peers or self.asserted):
            await self.app(scope, receive, send)
            return
        # Safe: the settings allow an asserted header without networks only if it is signed.
        scope[TRUSTED_PEER] = trusted = self._is_trusted(scope)
        await self._check(HTTPConnection(scope), may_assert=trusted or not self.names_peers)
        if trusted and scope.get("client") is None:
            scope["client"] = (UNIX, 0)
        await self.forwarded(scope, receive, send)  # type: ignore[arg-type]

    def _is_trusted(self, scope: Scope) -> bool:
        client = scope.get("client")
        if client is None:
            # Safe: the settings allow `unix` only with a Unix socket, beside which no port is open. (A peer of a port
            # that is gone has no address any more either.)
            return self.trusts_socket
        try:
            peer = ip_address(client[0])
        except ValueError:
            return False
        return any(peer in network for network in self.networks)

    async def _check(self, connection: HTTPConnection, *, may_assert: bool) -> None:
        headers = connection.headers
        for name in headers:
            # Web servers behind CGI take `_` for `-`, so a proxy may let the one through while it writes the other.
            plain = name.replace("_", "-")
            if plain in self.asserted and (not may_assert or name != plain or len(headers.getlist(name)) > 1):
                if self.refusals:
                    refusal = Refusal(address=address_of(connection), way=PROXY, code="forbidden_header")
                    await self.refusals.add(refusal)
                raise HTTPException(
                    400,
                    _(
                        "The header {name} says who is signed in. It is accepted once, and only from the proxy that "
                        "the settings name."
                    ).format(name=name),
                )
