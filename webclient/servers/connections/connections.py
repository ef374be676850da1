"""The connections of all servers in this process, one for each server at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    CallLog,
    Catalog,
    ConnectionFault,
    FollowedResource,
    Json,
    Reason,
    ReasonCode,
    Server,
    ServerKey,
    ServerState,
    ServerStatus,
)
from webclient.network import ServerGuard
from webclient.protocol import Authorization, Endpoint, ServerEvents, ServerLimits, SessionEvents, Watched
from webclient.servers.connections.connection import UP, Connection
from webclient.servers.connections.learned_eras import remember
from webclient.servers.sign_in import ProtectedServer
from webclient.store import Store
from webclient.store.live import Hub

MOST_PINGS = 10
"""The most servers that are pinged within a second."""

KNOWN_SOON = 5
"""Seconds that a call waits for the catalog of its server, if it needs that."""

REACHED = 10.0
"""Seconds that the request of an agent waits for its server to be connected."""

ANSWERED = 10.0
"""Seconds that an agent waits for the answer of its server before a subscription counts as made."""

AuthorizationFor = Callable[[ProtectedServer], Authorization]
"""Gives the sign-in of its user to a server."""


class Connections(ServerEvents):
    """One connection for each server that is or was connected in this process.

    `authorization_for` gives the sign-in to a server over HTTP; `guard` says where a server may be.
    """

    def __init__(
        self,
        store: Store,
        hub: Hub,
        events: SessionEvents,
        *,
        ping_interval: float,
        limits: ServerLimits | None = None,
        authorization_for: AuthorizationFor | None = None,
        guard: ServerGuard | None = None,
    ) -> None:
        self.guard = guard or ServerGuard()
        self.authorization_for = authorization_for
        self.limits = limits or ServerLimits()
        self._store = store
        self._hub = hub
        self._events = replace(events, servers=self)
        self._ping_interval = ping_interval
        self._connections: dict[ServerKey, Connection] = {}
        self._transports: dict[ServerKey, Json] = {}
        self._wrong: dict[ServerKey, Reason] = {}
        self._unused: dict[ServerKey, Sequence[str]] = {}
        self._watched: dict[ServerKey, Watched] = {}

    def changed(self, endpoint: Endpoint) -> None:
        """Publish that the server has changed."""
        self._hub.publish(endpoint.server.user_id, "server", endpoint.server.id)

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember for the next connection what this one has shown of the server."""
        await remember(self._store, endpoint, news)

    def use(self, server: Server, transport: Json, *, wrong: Reason | None = None, unused: Sequence[str] = ()) -> None:
        """Use `transport` for the server, which has the secrets that its row lacks.

        `wrong` is the reason why it cannot be connected at all, `unused` are the keys of its entry without an effect.
        """
        self._transports[server.key] = transport
        self._unused[server.key] = unused
        if wrong is None:
            self._wrong.pop(server.key, None)
        else:
            self._wrong[server.key] = wrong

    def forget(self, server: Server) -> None:
        """Forget everything in memory about a server that is disconnected."""
        if connection := self._connections.get(server.key):
            self._events.work.forgotten(connection.endpoint)
        for by_server in (self._connections, self._transports, self._wrong, self._unused):
            by_server.pop(server.key, None)
        self._forget_unwatched(server.key)

    def _forget_unwatched(self, key: ServerKey) -> None:
        """Forget which resources agents follow, once the server is gone and none is followed."""
        if key not in self._connections and (watched := self._watched.get(key)) and not watched.uris:
            del self._watched[key]

    def unused(self, key: ServerKey) -> Sequence[str]:
        """Return the keys of the server's entry in the config file that have no effect."""
        return self._unused.get(key, ())

    def connect(self, server: Server) -> Connection:
        """Begin to connect, unless the server is connected or being connected; return at once."""
        if self.is_up(server.key):
            self._connections[server.key].hurry()
        else:
            self._connections[server.key] = connection = self._new(server)
            connection.start()
        return self._connections[server.key]

    def is_up(self, key: ServerKey) -> bool:
        """Return whether the server is connected, or will be: by itself or after the sign-in."""
        connection = self._connections.get(key)
        return connection is not None and connection.is_up

    def _new(self, server: Server) -> Connection:
        transport = self._transports.get(server.key, server.transport)
        if (old := self._connections.get(server.key)) and "detect" in transport:
            # Connecting has shown which of the two HTTP transports the server speaks.
            transport = {**transport, "type": old.server.transport["type"]}
        return Connection(
            server,
            transport,
            self._events,
            limits=self.limits,
            ping_interval=self._ping_interval,
            next_ping=self._next_ping,
            authorization=self._authorization(server, transport),
            networks=self.guard.networks_for(server),
            ca_file=self.guard.ca_file,
            wrong=self._wrong.get(server.key) or _lost(server),
            watched=self._watched.setdefault(server.key, Watched()),
        )

    def _authorization(self, server: Server, transport: Json) -> Authorization | None:
        # A child process gets its credentials in its environment (MCP, Authorization, Protocol Requirements).
        protected = self.authorization_for and protected_server(server, transport)
        return self.authorization_for(protected) if self.authorization_for and protected else None

    def protected(self, server: Server) -> ProtectedServer:
        """Return the server as its sign-in needs it. Raises ConflictError for a child process."""
        found = protected_server(server, self._transports.get(server.key, server.transport))
        if found is None:
            raise ConflictError(_("Only a server with an address has a sign-in."))
        return found

    async def disconnect(self, server: Server, reason: Reason | None = None) -> None:
        """End the connection, if there is one; its open calls and requests end for that `reason`."""
        self._store.health.check()
        if server.key in self._connections:
            reason = reason or Reason(ReasonCode.SERVER_DISCONNECTED)
            connection = self._connections[server.key]
            await connection.stop(reason)
            # A call that waits for a person between two rounds is open without a session, too.
            await self._events.work.lost(connection.endpoint, stopped=True)

    async def stop_of(self, user_id: str) -> None:
        """End the sessions of a user at once, also while the database hangs; their open work is left as it is."""
        reason = Reason(ReasonCode.SERVER_DISCONNECTED)
        theirs = [connection for key, connection in self._connections.items() if key[0] == user_id]
        await asyncio.gather(*(connection.stop(reason) for connection in theirs))

    async def follow(self, server: Server) -> None:
        """Use the changed `server`; reconnect if the open connection cannot."""
        connection = self._connections.get(server.key)
        if connection and self.must_reconnect(server):
            await connection.stop(Reason(ReasonCode.PERMISSIONS_CHANGED))
            self.connect(server)
        elif connection:
            connection.take_over(server)

    def must_reconnect(self, server: Server) -> bool:
        """Return whether using the changed `server` takes a new connection."""
        connection = self._connections.get(server.key)
        return connection is not None and connection.status.state in UP and not connection.can_take_over(server)

    def status(self, key: ServerKey) -> ServerStatus:
        """Return the status of the server's connection."""
        connection = self._connections.get(key)
        return connection.status if connection else ServerStatus()

    def statuses(self) -> list[ServerStatus]:
        """Return the status of each connection of all users."""
        return [connection.status for connection in self._connections.values()]

    def connected(self, server: Server) -> Connection:
        """Return the server's connection. Raises ConflictError if it has no session."""
        connection = self._connections.get(server.key) or self._new(server)
        _session = connection.session
        return connection

    def reachable(self, server: Server) -> Connection:
        """Return the server's connection. Raises ConflictError if it has no session and will have none."""
        connection = self._connections.get(server.key)
        return connection if connection and connection.is_coming else self.connected(server)

    async def ready(self, key: ServerKey) -> Connection:
        """Wait until the server's connection has a session. Raises ConflictError if it will have none."""
        connection = self._connections.get(key)
        if connection is None:
            raise ConflictError(Reason(ReasonCode.SERVER_NOT_CONNECTED))
        await connection.ready()
        return connection

    async def reach(self, server: Server, seconds: float = REACHED) -> None:
        """Reconnect a server that failed, and wait for its session, `seconds` at most."""
        status = self.status(server.key)
        if status.state is ServerState.ERROR:
            self.connect(server)
        if status.state is not ServerState.CONNECTED:
            with suppress(TimeoutError, ConflictError):
                async with asyncio.timeout(seconds):
                    await self.ready(server.key)

    async def fault_on_connecting(self, key: ServerKey) -> ConnectionFault | None:
        """Wait while the server is being connected for the first time; return why that failed, or None."""
        connection = self._connections.get(key)
        return await connection.fault_on_connecting() if connection else None

    async def waits_for_sign_in(self, key: ServerKey) -> bool:
        """Wait while the server's connection is made; return whether it needs a sign-in first."""
        connection = self._connections.get(key)
        return connection is not None and await connection.needs_sign_in()

    def messages(self, server: Server) -> CallLog:
        """Return the log messages of the server since it was connected."""
        connection = self._connections.get(server.key)
        return connection.endpoint.log.as_log if connection else CallLog()

    def followed(self, server: Server, uri: str) -> FollowedResource:
        """Return what is known of a followed resource since the server was connected."""
        connection = self._connections.get(server.key)
        return connection.endpoint.resource_updates.get(uri) if connection else FollowedResource(uri=uri)

    async def watch(self, server: Server, uri: str) -> Json | None:
        """Follow a resource for an agent, also after the connection is lost; return the error if the server refuses.

        `unwatch` ends it, also if this is cancelled. There was a connection to the server.
        """
        watched = self._watched[server.key]
        if watched.add(uri):
            self._connections[server.key].watch_changed()
        try:
            async with asyncio.timeout(ANSWERED):
                return await watched.answer(uri)
        except TimeoutError:
            # It may answer later, and is asked again on the next connection.
            return None

    def unwatch(self, server: Server, uri: str) -> None:
        """Follow a resource once less."""
        watched = self._watched[server.key]
        if watched.remove(uri) and (connection := self._connections.get(server.key)):
            connection.watch_changed()
        self._forget_unwatched(server.key)

    async def catalog(self, server: Server, *, to_run: bool = False, refresh: bool = False) -> Catalog:
        """Return the catalog, from the cache if it is up to date (see `CatalogCache`).

        Raises ConflictError if the server is not connected or does not answer.
        """
        return await self.connected(server).read_catalog(to_run=to_run, refresh=refresh)

    async def know_tools(self, server: Server, *, refresh: bool = False) -> None:
        """Read the catalog if it is out of date, or to `refresh` it.

        It takes `KNOWN_SOON` seconds at most, and ignores failures: the last catalog stays.
        """
        with suppress(ConflictError, TimeoutError):
            async with asyncio.timeout(KNOWN_SOON):
                await self.catalog(server, to_run=True, refresh=refresh)

    def probe(self, server: Server) -> None:
        """Ping the server now."""
        if server.key in self._connections:
            self._connections[server.key].probe()

    def last_catalog(self, key: ServerKey) -> Catalog:
        """Return the last catalog of a server that was read in this process; empty if none was."""
        connection = self._connections.get(key)
        return connection.catalog if connection else Catalog()

    def knows_catalog(self, server: Server) -> bool:
        """Return whether the server's catalog was read in this process."""
        connection = self._connections.get(server.key)
        return connection is not None and connection.knows_catalog

    async def close(self, reason: Reason) -> None:
        """End all connections at the same time; open work ends for `reason`."""
        await asyncio.gather(*(connection.stop(reason) for connection in self._connections.values()))

    def _next_ping(self) -> float:
        """Return the seconds between two pings of an idle server: longer for many servers, so the cost is bounded."""
        return max(self._ping_interval, len(self._connections) / MOST_PINGS)


def protected_server(server: Server, transport: Json) -> ProtectedServer | None:
    """Return the server as its sign-in needs it; `transport` has its secrets. None for a child process."""
    if "url" not in transport:
        return None
    return ProtectedServer(user_id=server.user_id, server_id=server.id, url=transport["url"], oauth=server.oauth)


def _lost(server: Server) -> Reason | None:
    """Return why a server whose secrets are lost is not connected: without them it would be another request."""
    return Reason.of(ReasonCode.SECRETS_LOST, names=", ".join(server.lost)) if server.lost else None
