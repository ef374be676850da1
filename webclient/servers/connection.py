"""The connection to one server for one user, kept alive by one owner task, one session after the other.

The owner connects, reconnects with growing pauses after a loss, and stops; `protocol.Session` is one session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context

from webclient.errors import ConflictError
from webclient.model import Catalog, ConnectionFault, Era, Json, Reason, ReasonCode, Server, ServerState, ServerStatus
from webclient.protocol import (
    ABANDON_TIMEOUT,
    STOP_TIMEOUT,
    Endpoint,
    ServerError,
    ServerLimits,
    Session,
    SessionEvents,
    Trouble,
)
from webclient.servers.backoff import Attempts
from webclient.servers.catalog import CatalogCache
from webclient.servers.task_support import requires_task

_OTHER = {"http": "sse", "sse": "http"}


class Connection:
    """The connection to the server at `endpoint`; `session` speaks to it while it is connected.

    `wrong` says why no connection can be made at all.
    `ping_interval` and `next_ping` are those of `Session`.
    """

    def __init__(
        self,
        server: Server,
        transport: Json,
        listener: SessionEvents,
        *,
        limits: ServerLimits,
        ping_interval: float,
        next_ping: Callable[[], float],
        wrong: Reason | None = None,
    ) -> None:
        self.endpoint = Endpoint(server, transport, listener.changed)
        self.limits = limits
        self._wrong = wrong
        self._fell_back = False
        self._listener = listener
        self._ping_interval = ping_interval
        self._next_ping = next_ping
        self._session: Session | None = None
        self._catalog = CatalogCache(self.endpoint)
        self._stopping = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    @property
    def server(self) -> Server:
        """The server as its user has configured it."""
        return self.endpoint.server

    @property
    def status(self) -> ServerStatus:
        """How the connection stands."""
        return self.endpoint.status

    @property
    def session(self) -> Session:
        """The session. Raises ConflictError, with a sentence, while there is none."""
        if self._session is None or self._session.client is None:
            raise ConflictError(Reason.of(ReasonCode.NOT_CONNECTED, label=self.server.label, state=self.status.state))
        return self._session

    @property
    def catalog(self) -> Catalog:
        """The catalog as it was read last; empty if it never was."""
        return self._catalog.newest

    async def read_catalog(self, *, to_run: bool = False, refresh: bool = False) -> Catalog:
        """Return the catalog, read again if it is out of date (see `CatalogCache`). Raises ConflictError."""
        return await self._catalog.read(self.session.read_catalog, to_run=to_run, refresh=refresh)

    def requires_task(self, tool_name: str) -> bool:
        """Whether the tool, as the server listed it last, runs only as a task."""
        return requires_task(self.catalog.tool(tool_name) or {}, self.status.capabilities)

    def stands(self, session: Session) -> bool:
        """Whether this is the session still, so that what is sent on it can reach the server."""
        return self._session is session and session.is_open

    async def ready(self) -> Session:
        """Wait while the session is being made, and return it. Raises ConflictError when there will be none."""
        while self.status.state in (ServerState.CONNECTING, ServerState.RECONNECTING) or self._is_going:
            await self.endpoint.next_status()
        return self.session

    @property
    def _is_going(self) -> bool:
        # The session is of no use any more, and the owner has not come to it yet.
        return self._session is not None and self._session.is_lost and self.status.state is ServerState.CONNECTED

    def start(self) -> None:
        """Begin to connect; returns at once."""
        if self._wrong is not None:
            self._set(state=ServerState.ERROR, error=ConnectionFault(reason=self._wrong))
            return
        self._set(state=ServerState.CONNECTING, error=None)
        # An empty context: handlers of the session inherit it, and must not find somebody's call in it.
        self._owner = asyncio.create_task(self._own(), name=f"connection {self.server.id}", context=Context())

    async def stop(self, reason: Reason) -> None:
        """End the session, and a child process with it, within five seconds; `reason` is told on what was open."""
        self.endpoint.interrupted = reason
        self._stopping.set()
        if self._session:
            self._session.stop()
        if self._owner is not None:
            await self._end(self._owner)
        # Also if the owner had ended long before, with an error that is still shown.
        if self.status.state is not ServerState.DISCONNECTED:
            self._set(state=ServerState.DISCONNECTED, error=None)

    async def _end(self, owner: asyncio.Task[None]) -> None:
        await asyncio.wait([owner], timeout=STOP_TIMEOUT)
        if self._session:
            self._session.abandon()
        await asyncio.wait([owner], timeout=ABANDON_TIMEOUT)
        if self._session:
            self._session.kill()

    def can_take_over(self, server: Server) -> bool:
        """Whether the connection can go on with what the user changed of the server.

        The era cannot change under way. Nor can the modes that a 2025-11-25 session has announced (MCP 2025-11-25,
        Lifecycle: both sides MUST only use what was negotiated); 2026-07-28 announces them with each request.
        """
        by_request = self.status.protocol_version == Era.ROUNDS
        return server.era is self.server.era and (by_request or server.modes == self.server.modes)

    def take_over(self, server: Server) -> None:
        """Go on with what the user changed of the server."""
        self.endpoint.server = server

    def lose(self) -> None:
        """Give the session up, which the server no longer knows, and reconnect."""
        if self._session:
            self._session.forget()

    def probe(self) -> None:
        """Look now whether the server is there; something went wrong."""
        if self._session:
            self._session.probe()

    def look_after(self, error: ServerError) -> None:
        """Do what is to be done for the connection when a call on it ended with this error."""
        if error.trouble is Trouble.SESSION_UNKNOWN:
            self.lose()
        elif error.unanswered:
            self.probe()

    @property
    def given_up(self) -> Reason | None:
        """Why the session was given up for what its server did; None if it was not."""
        return self._session.given_up if self._session else None

    async def _own(self) -> None:
        attempts = Attempts()
        first_error: ConnectionFault | None = None
        was_connected = False
        while not self._stopping.is_set():
            attempts.begins()
            self._session = session = self._new_session()
            error = await session.run()
            was_connected |= session.was_established
            if self._stopping.is_set() or session.starts_over:
                continue
            if self._falls_back(session):
                first_error = error
                continue
            error = first_error or error
            first_error = None
            again = attempts.failed(ran_out=session.ran_out)
            if session.given_up or not (again or was_connected or self._listener.is_awaited(self.endpoint)):
                self._set(state=ServerState.ERROR, error=error, quiet_since=None)
                return
            self._set(state=ServerState.RECONNECTING, error=error, quiet_since=None)
            await self._pause(attempts.pause)
        self._set(state=ServerState.DISCONNECTED, error=None, quiet_since=None)

    def _new_session(self) -> Session:
        return Session(
            self.endpoint,
            self._listener,
            self.limits,
            ping_interval=self._ping_interval,
            next_ping=self._next_ping,
        )

    def _falls_back(self, session: Session) -> bool:
        """Turn to the other HTTP transport, once, where nobody chose one; whether that is to be tried now.

        A refused POST may mean that the server speaks HTTP+SSE, a refused GET that it was updated since (MCP
        2025-11-25, Transports, Backwards Compatibility).
        """
        transport = self.endpoint.transport
        if session.was_established or "detect" not in transport:
            self._fell_back = False
        elif self._fell_back or session.may_speak_other_transport:
            # After the other one failed as well, back to the first, which the next attempt begins with.
            self.endpoint.transport = {**transport, "type": _OTHER[transport["type"]]}
            self._fell_back = not self._fell_back
        return self._fell_back

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _set(self, **values: object) -> None:
        self.endpoint.set_status(**values)
