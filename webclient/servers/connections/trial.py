"""Tries a server before it is saved: connects, lists its catalog, and disconnects, without a trace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from webclient.domain.errors import ConflictError, SignInFailedError
from webclient.domain.model import (
    Catalog,
    ConnectionFault,
    Delivery,
    Json,
    Reason,
    ReasonCode,
    SavedSession,
    Server,
    ServerRequest,
    Unauthorized,
)
from webclient.network import ServerGuard
from webclient.protocol import INTERNAL_ERROR, Endpoint, RequestRefusedError, ServerLimits
from webclient.protocol.wire_log import WireMessage
from webclient.servers.connections.connection import Connection
from webclient.servers.connections.learned_eras import learned

LONGEST = 20.0
"""Seconds that a trial may take: a person waits for it."""

_PING_INTERVAL = 60.0

_NO_TASK = "There are no tasks during a trial of the connection."


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of a trial: the `server` with its catalog, or the `fault` that kept it from connecting.

    The server has the transport and the eras that connecting has shown. `wants_sign_in`: it opens no session, and so
    shows nothing of itself, before its user has signed in.
    """

    server: Server
    catalog: Catalog = field(default_factory=Catalog)
    fault: ConnectionFault | None = None
    wants_sign_in: bool = False


async def try_server(
    server: Server, limits: ServerLimits, guard: ServerGuard | None = None, *, seconds: float = LONGEST
) -> Trial:
    """Connect to the server, where `guard` permits it, list its catalog, and disconnect; within so many seconds."""
    listener = _Listener()
    connection = Connection(
        server,
        server.transport,
        listener,
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
        return Trial(server=_found(connection, listener), catalog=catalog)
    except (ConflictError, TimeoutError) as error:
        if isinstance(error, ConflictError) and error.reason and error.reason.code is ReasonCode.SIGN_IN_REQUIRED:
            return Trial(server=_found(connection, listener), wants_sign_in=True)
        return Trial(server=server, fault=connection.status.error or _fault(error, server, seconds))
    finally:
        await connection.stop(Reason(ReasonCode.SERVER_DISCONNECTED))


def _found(connection: Connection, listener: _Listener) -> Server:
    server = replace(connection.server, learned=listener.learned_eras)
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

    def accepted(self, token: str) -> None:
        """Ignore it: no token is sent."""

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:  # noqa: ARG002
        """Return that there is no other token."""
        return None

    async def until_signed_in(self) -> None:
        """Refuse: the sign-in begins when the server is saved."""
        raise SignInFailedError(Reason(ReasonCode.SIGN_IN_REQUIRED))


class _Listener:
    """Takes nothing of what a server asks or reports during a trial; the person knows nothing of it yet."""

    def __init__(self) -> None:
        self.learned_eras: Json = {}

    def changed(self, endpoint: Endpoint) -> None:
        """Ignore the status; the trial looks at the connection itself."""

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember the eras for the server, in case it is saved."""
        del endpoint
        self.learned_eras = learned(self.learned_eras, **news)

    async def requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        """Refuse: the user has not agreed to be asked by this server."""
        raise RequestRefusedError(INTERNAL_ERROR, "This connection is a trial; no user can be asked yet.")

    async def hosted(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        """Refuse it, as any question during a trial."""
        raise RequestRefusedError(INTERNAL_ERROR, "This connection is a trial; no user can be asked yet.")

    async def task_requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        """Refuse it: there is no task."""
        raise RequestRefusedError(INTERNAL_ERROR, _NO_TASK)

    async def task_ended(self, endpoint: Endpoint, task_id: str) -> Json:  # noqa: ARG002
        """Refuse it: there is no task."""
        raise RequestRefusedError(INTERNAL_ERROR, _NO_TASK)

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Ignore it."""

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, delivery: Delivery) -> None:
        """Ignore it: nothing is answered."""

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Ignore it: no links were opened."""

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Ignore it."""

    def passed(self, endpoint: Endpoint, message: WireMessage, text: str | bytes | None) -> None:
        """Ignore it: the log of a server begins when it is saved."""

    def posted(self, endpoint: Endpoint, message: WireMessage, text: str | bytes) -> None:
        """Ignore it."""

    def task_changed(self, endpoint: Endpoint, params: Json) -> None:
        pass

    async def progressed(self, endpoint: Endpoint, token: str | int, step: Json) -> None:
        pass

    async def saved_session(self, endpoint: Endpoint) -> SavedSession | None:  # noqa: ARG002
        return None

    async def not_resumed(self, endpoint: Endpoint) -> None:
        pass

    async def opened(
        self,
        endpoint: Endpoint,  # noqa: ARG002
        session: SavedSession | None,  # noqa: ARG002
        *,
        resumed: bool,  # noqa: ARG002
    ) -> Sequence[ServerRequest]:
        return ()

    async def left_open(self, endpoint: Endpoint, session: SavedSession) -> None:
        pass

    async def requested_again(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        raise RequestRefusedError(INTERNAL_ERROR, "Nothing is asked while a server is tried.")

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Ignore it: nothing is open."""

    def forgotten(self, endpoint: Endpoint) -> None:
        """Ignore it: nothing is remembered."""

    def is_busy(self, endpoint: Endpoint) -> bool:  # noqa: ARG002
        """Return that the server works for no call."""
        return False

    def is_awaited(self, endpoint: Endpoint) -> bool:  # noqa: ARG002
        """Return that no call waits for the server, so a failed attempt is not repeated."""
        return False
