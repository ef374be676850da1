"""The connections of all servers in this process: connect, disconnect, look; one for each server at most."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from mcp import MCPError
from mcp.types import ElicitResult, ErrorData
from pydantic import ValidationError

from webclient.calls.logs import Logs
from webclient.calls.running import RunningCalls
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.inbox import Inbox
from webclient.inbox.intake import Intake
from webclient.live import Hub
from webclient.model import CallState, Json, RequestState, Server, ServerState, ServerStatus
from webclient.protocol.explain import explain
from webclient.protocol.limits import ServerLimits
from webclient.protocol.tap import Asked
from webclient.servers.catalog import Catalog, read_catalog
from webclient.servers.connection import Connection
from webclient.store import StorageError, Store

MOST_BEATS = 10
"""Servers that are asked within a second whether they are there, at most."""

KNOWN_SOON = 5
"""Seconds in which a server says what it offers, where a call that needs to know it waits for that."""

_UP = (ServerState.CONNECTING, ServerState.CONNECTED, ServerState.RECONNECTING)


class Connections:
    """Holds one connection for each server that is or was connected in this process."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        inbox: Inbox,
        running_calls: RunningCalls,
        questions: Intake,
        *,
        beat: float,
        limits: ServerLimits | None = None,
    ) -> None:
        self.limits = limits or ServerLimits()
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._running_calls = running_calls
        self._intake = questions
        self._logs = Logs(store, hub, running_calls)
        self._beat = beat
        self._connections: dict[str, Connection] = {}
        self._transports: dict[str, Json] = {}
        self._wrong: dict[str, str] = {}
        self._closing: asyncio.Task[None] | None = None

    def use(self, server: Server, transport: Json, *, wrong: str | None = None) -> None:
        """Connect the server over `transport` from now on, which has secrets that its row lacks.

        `wrong` is a sentence that says why it cannot be connected at all.
        """
        self._transports[server.id] = transport
        if wrong is not None:
            self._wrong[server.id] = wrong

    def forget(self, server: Server) -> None:
        """Forget a server that is disconnected."""
        self._connections.pop(server.id, None)

    def connect(self, server: Server) -> Connection:
        """Begin to connect; returns at once. Nothing happens to a server that is connected or about to be."""
        if self.status(server.id).state not in _UP:
            self._connections[server.id] = connection = self._new(server)
            connection.start()
        return self._connections[server.id]

    def _new(self, server: Server) -> Connection:
        transport = self._transports.get(server.id, server.transport)
        return Connection(server, transport, self, beat=self._beat, wrong=self._wrong.get(server.id))

    async def disconnect(self, server: Server, reason: str = "") -> None:
        """End the connection, if there is one; its calls and questions are settled first, for that `reason`."""
        self._store.health.check()
        if server.id in self._connections:
            reason = reason or _("You disconnected the server before this was answered.")
            await self._connections[server.id].stop(reason)
            # What waits for a person between two rounds is open without a session, too.
            await self._end(server, reason)

    async def follow(self, server: Server) -> None:
        """Take over what the user changed of the server, and connect it anew where the open connection cannot."""
        connection = self._connections.get(server.id)
        if connection and self.must_reconnect(server):
            await connection.stop(_("You changed how the server may ask, so it was connected anew."))
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
            raise ConflictError(_("The server is not connected. Connect it first."))
        await connection.ready()
        return connection

    async def catalog(self, server: Server) -> Catalog:
        """Return what the server offers. Raises ConflictError when it is not connected or does not answer."""
        connection = self.connected(server)
        try:
            connection.catalog = await read_catalog(connection.session, self.limits)
        except (MCPError, TimeoutError, ValidationError) as error:
            raise ConflictError(explain(error, server, hidden=connection.secrets)["message"]) from error
        return connection.catalog

    async def know_tools(self, server: Server) -> None:
        """Ask what the server offers unless that is known; one that does not say it soon changes nothing."""
        if not self.last_catalog(server).tools:
            with suppress(ConflictError, TimeoutError):
                async with asyncio.timeout(KNOWN_SOON):
                    await self.catalog(server)

    def probe(self, server: Server) -> None:
        """Look now whether the server is there."""
        if server.id in self._connections:
            self._connections[server.id].probe()

    def last_catalog(self, server: Server) -> Catalog:
        """Return what the server offered when it was last asked in this process."""
        connection = self._connections.get(server.id)
        return connection.catalog if connection else Catalog()

    async def close(self) -> None:
        """End all connections, at the same time: this program stops. Held calls are left to the next process.

        However often it is called, that is done once; each returns when it is done.
        """
        self._closing = self._closing or asyncio.create_task(self._close(), name="closing")
        await self._closing

    async def _close(self) -> None:
        here = [call for server_id in self._connections for call in self._running_calls.on(server_id)]
        resumable = [call for call in here if self._running_calls.is_resumable(call)]
        await asyncio.gather(*(self._running_calls.leave(call) for call in resumable))
        reason = _("mcp-webclient was stopped before this was answered.")
        await asyncio.gather(*(connection.stop(reason) for connection in self._connections.values()))
        await self._running_calls.end_all((RequestState.INTERRUPTED, reason))
        await self._logs.close()

    async def pushed(self, connection: Connection) -> ElicitResult | ErrorData:
        """Answer a question that a server pushed."""
        return await self._intake.pushed(connection)

    async def malformed(self, connection: Connection, asked: Asked, error: str) -> None:
        """Show a question that the SDK refused."""
        await self._intake.malformed(connection, asked, error)

    async def notified(self, connection: Connection, told: Mapping[str, datetime]) -> None:
        """Complete the links of this server that wait for these ids, each told at that time."""
        await self._inbox.links.notified(connection.server.user_id, connection.server.id, told)

    async def found(self, connection: Connection) -> None:
        """Remember the transport and the eras that a server turned out to speak, for the next time."""
        with suppress(StorageError):  # then it is found again after the next start
            await self._store.of(connection.server.user_id).servers.learn(connection.server)
        kind, server = connection.transport["type"], connection.server
        if kind != server.transport["type"]:
            connection.server = found = replace(server, transport={**server.transport, "type": kind})
            if server.id in self._transports:
                self._transports[server.id] = connection.transport
            with suppress(StorageError):  # then it is found again after the next start
                await self._store.of(found.user_id).servers.change(found)

    def logged(self, connection: Connection, call_id: str | None, params: Json) -> None:
        """Keep a log message of the server with its call."""
        self._logs.logged(connection.server.id, call_id, params)

    async def lost(self, connection: Connection, reason: str) -> None:
        """Settle the questions and end the calls of a connection whose session goes.

        A call that needs no session goes on with the next one, unless somebody has ended the connection.
        """
        await self._end(connection.server, reason, but_waiting=not connection.stopping)

    async def _end(self, server: Server, reason: str, *, but_waiting: bool = False) -> None:
        ending = (RequestState.INTERRUPTED, reason)
        here = self._running_calls.on(server.id)
        calls = self._running_calls
        kept = {call.id for call in here if calls.is_left(call.id) or (but_waiting and calls.needs_no_session(call))}
        pending = await self._store.of(server.user_id).requests.find(state=RequestState.PENDING, server_id=server.id)
        ended = [call for call in here if call.id not in kept]
        await asyncio.gather(*(self._running_calls.stop(call.id, CallState.INTERRUPTED, ending) for call in ended))
        left = [each for each in pending if each.call_id not in kept and not self._running_calls.is_left(each.call_id)]
        await self._inbox.settle_all(left, *ending)

    def busy(self, connection: Connection) -> bool:
        """Whether the server works for a call or waits for an answer; one that waits between two rounds is idle."""
        server_id = connection.server.id
        working = any(not self._running_calls.needs_no_session(call) for call in self._running_calls.on(server_id))
        return working or self._intake.unanswered.by(server_id)

    def awaited(self, connection: Connection) -> bool:
        """Whether a call that an earlier process or session left waiting goes on with the server's next one."""
        return any(map(self._running_calls.is_resumable, self._running_calls.on(connection.server.id)))

    def rhythm(self) -> float:
        """Return the seconds between two looks at an idle server: longer for many, so that they cost what few cost."""
        return max(self._beat, len(self._connections) / MOST_BEATS)

    def changed(self, connection: Connection) -> None:
        """Tell the pages that a connection stands differently."""
        self._hub.publish(connection.server.user_id, "server", connection.server.id)
