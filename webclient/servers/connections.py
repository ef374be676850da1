"""The connections of all servers in this process: connect, disconnect, look; one for each server at most."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from webclient.errors import ConflictError
from webclient.model import Catalog, Json, Reason, ReasonCode, Server, ServerState, ServerStatus
from webclient.protocol import ServerLimits, SessionEvents
from webclient.servers.connection import Connection
from webclient.store import Store

MOST_PINGS = 10
"""Servers that are asked within a second whether they are there, at most."""

KNOWN_SOON = 5
"""Seconds in which a server says what it offers, where a call that needs to know it waits for that."""

_UP = (ServerState.CONNECTING, ServerState.CONNECTED, ServerState.RECONNECTING)


class Connections:
    """Holds one connection for each server that is or was connected in this process."""

    def __init__(
        self, store: Store, listener: SessionEvents, *, ping_interval: float, limits: ServerLimits | None = None
    ) -> None:
        self.limits = limits or ServerLimits()
        self._store = store
        self._listener = listener
        self._ping_interval = ping_interval
        self._connections: dict[str, Connection] = {}
        self._transports: dict[str, Json] = {}
        self._wrong: dict[str, Reason] = {}

    def use(self, server: Server, transport: Json, *, wrong: Reason | None = None) -> None:
        """Connect the server over `transport` from now on, which has secrets that its row lacks.

        `wrong` is a sentence that says why it cannot be connected at all.
        """
        self._transports[server.id] = transport
        if wrong is not None:
            self._wrong[server.id] = wrong

    def forget(self, server: Server) -> None:
        """Drop what is kept of a server that is disconnected and was removed."""
        for kept in (self._connections, self._transports, self._wrong):
            kept.pop(server.id, None)

    def connect(self, server: Server) -> Connection:
        """Begin to connect; returns at once. Nothing happens to a server that is connected or about to be."""
        if self.status(server.id).state not in _UP:
            self._connections[server.id] = connection = self._new(server)
            connection.start()
        return self._connections[server.id]

    def _new(self, server: Server) -> Connection:
        transport = self._transports.get(server.id, server.transport)
        if (old := self._connections.get(server.id)) and "detect" in transport:
            # Connecting has shown which of the two HTTP transports the server speaks.
            transport = {**transport, "type": old.server.transport["type"]}
        return Connection(
            server,
            transport,
            self._listener,
            limits=self.limits,
            ping_interval=self._ping_interval,
            next_ping=self._next_ping,
            wrong=self._wrong.get(server.id),
        )

    async def disconnect(self, server: Server, reason: Reason | None = None) -> None:
        """End the connection, if there is one; its calls and questions are settled first, for that `reason`."""
        self._store.health.check()
        if server.id in self._connections:
            reason = reason or Reason(ReasonCode.SERVER_DISCONNECTED)
            connection = self._connections[server.id]
            await connection.stop(reason)
            # What waits for a person between two rounds is open without a session, too.
            await self._listener.lost(connection.endpoint, stopped=True)

    async def follow(self, server: Server) -> None:
        """Take over what the user changed of the server, and connect it anew where the open connection cannot."""
        connection = self._connections.get(server.id)
        if connection and self.must_reconnect(server):
            await connection.stop(Reason(ReasonCode.PERMISSIONS_CHANGED))
            self.connect(server)
        elif connection:
            connection.take_over(server)

    def must_reconnect(self, server: Server) -> bool:
        """Whether the server's connection would have to be made anew for what the user changed of it."""
        connection = self._connections.get(server.id)
        return connection is not None and connection.status.state in _UP and not connection.can_take_over(server)

    def status(self, server_id: str) -> ServerStatus:
        """Return how the server's connection stands."""
        connection = self._connections.get(server_id)
        return connection.status if connection else ServerStatus()

    def connected(self, server: Server) -> Connection:
        """Return the server's connection, which has a session. Raises ConflictError when it has none."""
        connection = self._connections.get(server.id) or self._new(server)
        _session = connection.session
        return connection

    def reachable(self, server: Server) -> Connection:
        """Return the server's connection, which has a session or is making one. Raises ConflictError otherwise."""
        connection = self._connections.get(server.id)
        making = (ServerState.CONNECTING, ServerState.RECONNECTING)
        return connection if connection and connection.status.state in making else self.connected(server)

    async def ready(self, server_id: str) -> Connection:
        """Return the server's connection once it has a session. Raises ConflictError when it will have none."""
        connection = self._connections.get(server_id)
        if connection is None:
            raise ConflictError(Reason(ReasonCode.SERVER_NOT_CONNECTED))
        await connection.ready()
        return connection

    async def catalog(self, server: Server, *, to_run: bool = False, refresh: bool = False) -> Catalog:
        """Return the catalog, from the cache if it is up to date (see `CatalogCache`).

        Raises ConflictError when the server is not connected or does not answer.
        """
        return await self.connected(server).read_catalog(to_run=to_run, refresh=refresh)

    async def know_tools(self, server: Server) -> None:
        """Read the catalog unless it is known; a server that does not answer soon changes nothing."""
        with suppress(ConflictError, TimeoutError):
            async with asyncio.timeout(KNOWN_SOON):
                await self.catalog(server, to_run=True)

    def probe(self, server: Server) -> None:
        """Look now whether the server is there."""
        if server.id in self._connections:
            self._connections[server.id].probe()

    def last_catalog(self, server: Server) -> Catalog:
        """Return the catalog as it was last read in this process."""
        connection = self._connections.get(server.id)
        return connection.catalog if connection else Catalog()

    async def close(self, reason: Reason) -> None:
        """End all connections, at the same time; `reason` is told on what was open."""
        await asyncio.gather(*(connection.stop(reason) for connection in self._connections.values()))

    def _next_ping(self) -> float:
        """Return the seconds between two pings of an idle server: more for many, so that they cost what few cost."""
        return max(self._ping_interval, len(self._connections) / MOST_PINGS)
