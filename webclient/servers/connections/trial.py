"""Tries a server before it is saved: connects, lists its catalog, and disconnects, without a trace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from webclient.domain.errors import ConflictError, SignInFailedError
from webclient.domain.model import (
    Catalog,
    ConnectionFault,
    Json,
    Reason,
    ReasonCode,
    Server,
    Unauthorized,
)
from webclient.network import ServerGuard
from webclient.protocol import Endpoint, ServerEvents, ServerLimits, SessionEvents
from webclient.servers.connections.connection import Connection
from webclient.servers.connections.learned_eras import learned

LONGEST = 20.0
"""Seconds that a trial may take: a person waits for it."""

_PING_INTERVAL = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of a trial: the `server` with its catalog, or the `fault` that kept it from connecting.

    The server has the transport and the eras that connecting has shown, and `claims` is the name that it gives itself.
    `wants_sign_in`: it opens no session, and so shows nothing of itself, before its user has signed in.
    """

    server: Server
    claims: str = ""
    catalog: Catalog = field(default_factory=Catalog)
    fault: ConnectionFault | None = None
    wants_sign_in: bool = False


async def try_server(
    server: Server, limits: ServerLimits, guard: ServerGuard | None = None, *, seconds: float = LONGEST
) -> Trial:
    """Connect to the server, where `guard` permits it, list its catalog, and disconnect; within so many seconds."""
    shown = _Learned()
    connection = Connection(
        server,
        server.transport,
        SessionEvents(servers=shown),
        limits=limits,
        ping_interval=_PING_INTERVAL,
        next_ping=lambda: _PING_INTERVAL,
        authorization=_SignedOut(),
        networks=guard.networks_for(server) if guard else None,
        ca_file=guard.ca_file if guard else None,
    )
    connection.start()
    try:
        async with asyncio.timeout(seconds):
            await connection.ready()
            catalog = await connection.read_catalog()
        claims = connection.status.claims or ""
        return Trial(server=_found(connection, shown), claims=claims, catalog=catalog)
    except (ConflictError, TimeoutError) as error:
        if isinstance(error, ConflictError) and error.reason and error.reason.code is ReasonCode.SIGN_IN_REQUIRED:
            return Trial(server=_found(connection, shown), wants_sign_in=True)
        return Trial(server=server, fault=connection.status.error or _fault(error, server, seconds))
    finally:
        await connection.stop(Reason(ReasonCode.SERVER_DISCONNECTED))


def _found(connection: Connection, shown: _Learned) -> Server:
    server = replace(connection.server, learned=shown.eras)
    return replace(server, transport={**server.transport, "type": connection.endpoint.transport["type"]})


def _fault(error: Exception, server: Server, seconds: float) -> ConnectionFault:
    if isinstance(error, ConflictError) and error.reason:
        return ConnectionFault(reason=error.reason)
    return ConnectionFault(reason=Reason.of(ReasonCode.CONNECT_TIMEOUT, where=server.address, seconds=round(seconds)))


class _SignedOut:
    """The sign-in to a server that is tried: there is none yet, and its user is not asked."""

    async def token(self) -> str | None:
        """Return that there is no token."""
        return None

    def headers(self, token: str, method: str, url: str) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: no token is sent."""
        return {}

    def note_nonce(self, nonce: str) -> None:
        """Ignore it: no token is sent."""

    def accepted(self, token: str) -> None:
        """Ignore it: no token is sent."""

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:  # noqa: ARG002
        """Return that there is no other token."""
        return None

    async def until_signed_in(self) -> None:
        """Refuse: the sign-in begins when the server is saved."""
        raise SignInFailedError(Reason(ReasonCode.SIGN_IN_REQUIRED))


class _Learned(ServerEvents):
    """The eras that a trial shows, for the server in case it is saved."""

    def __init__(self) -> None:
        self.eras: Json = {}

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        del endpoint
        self.eras = learned(self.eras, **news)
