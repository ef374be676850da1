"""The gateway's life: it is loaded with the first request of an agent, and ends the requests when the program stops."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.types import Message, Receive, Scope, Send

from webclient import protocol
from webclient.calls import Calls
from webclient.domain.errors import TooManyError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import ServerState
from webclient.domain.spans import Spans
from webclient.gateway.agent_calls import AgentCalls
from webclient.gateway.agent_tasks import AgentTasks
from webclient.gateway.followers import Followers
from webclient.gateway.passing import Passing
from webclient.gateway.visit import AgentVisit, Visit
from webclient.servers.connections import Connections
from webclient.store import Store
from webclient.store.live import Event, Gap, Hub
from webclient.support.background import CancellableTask, keep

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_STOPPED = N_("This request was ended here: the token was revoked, or the program stops. Try again in a moment.")


class Gateway:
    """Serves the requests of agents, each to one server of its user, or to all."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        connections: Connections,
        calls: Calls,
        followers: Followers,
        *,
        spans: Spans,
        passing: Passing,
        max_body_bytes: int,
    ) -> None:
        self._store = store
        self._followers = followers
        self._spans = spans
        self._passing = passing
        self._connections = connections
        self._calls = AgentCalls(store, connections, calls)
        self._tasks = AgentTasks(store, calls, self._calls)
        self._max_body_bytes = max_body_bytes
        self._server: Server[object] | None = None
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        self._running: dict[str, CancellableTask] = {}
        self._starting = asyncio.Lock()
        self._open: set[AgentVisit] = set()
        self._closed = False
        hub.listen(self._happened)
        followers.during_call = self._calls.notified
        followers.on_completed = passing.links.completed
        calls.judged_by(self._calls.judge)

    async def serve(self, visit: AgentVisit, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of an agent.

        Raises TooManyError while the program stops, and MovedError if the user lives on another node: nothing was done.
        """
        if scope["method"] == "POST" and isinstance(visit, Visit):
            await self._connections.reach(visit.server)
        manager = await self._manager_of(visit.user_id)
        from webclient.gateway.manager import bound  # noqa: PLC0415  (loads the SDK)

        scope["user"] = bound(visit)
        scope["state"]["visit"] = visit
        exchange = _Exchange(receive, send, visit, may_move=scope["method"] == "POST" and self._store.is_shared)
        self._open.add(visit)
        try:
            with visit.ending:
                await manager.handle_request(scope, exchange.receive, exchange.send)
        finally:
            self._open.discard(visit)
            visit.gone.set()
            for tell in visit.on_response:
                tell(exchange.has_arrived)
        if visit.ending.cancelled_caught:
            await exchange.end()
        elif visit.moved and not exchange.has_begun:
            raise visit.moved

    def adopt(self, user_id: str | None = None) -> None:
        """Wait for the agents of calls that an earlier process has left."""
        self._calls.adopt(user_id)

    async def close(self) -> None:
        """End all requests and sessions of agents; a call that can be resumed goes on without its agent."""
        self._closed = True
        for visit in self._open:
            visit.ending.cancel()
        for running in self._running.values():
            running.stop()
        await asyncio.gather(*(running.ended() for running in self._running.values()))
        await self._calls.close()

    async def _manager_of(self, user_id: str) -> StreamableHTTPSessionManager:
        """Return what has the sessions of this user's agents: each user has an own one, and so a share."""
        async with self._starting:
            if user_id not in self._running and not self._closed:
                await protocol.load_sdk()
                started = asyncio.Event()
                self._running[user_id] = keep(lambda: self._run(user_id, started), name="gateway")
                await started.wait()
            if self._closed or user_id not in self._managers:
                raise TooManyError(_("This program is stopping. Try again in a moment."))
            return self._managers[user_id]

    def _happened(self, user_id: str | None, event: Event | Gap) -> None:
        """Tell agents of all servers that one of them has come or gone."""
        if user_id is not None and isinstance(event, Event) and event.kind == "server":
            state = self._connections.status((user_id, event.subject)).state
            self._followers.server_changed(user_id, event.subject, is_connected=state is ServerState.CONNECTED)

    async def _run(self, user_id: str, started: asyncio.Event) -> None:
        from webclient.gateway.manager import new_manager, new_server  # noqa: PLC0415  (loads the SDK)
        from webclient.gateway.relay import Relay  # noqa: PLC0415

        if self._server is None:
            relay = Relay(
                self._store,
                self._connections,
                self._calls,
                self._tasks,
                self._followers,
                spans=self._spans,
                passing=self._passing,
            )
            self._server = new_server(relay)
        manager = new_manager(self._server, self._max_body_bytes)
        try:
            async with manager.run():
                self._managers[user_id] = manager
                started.set()
                await asyncio.Event().wait()
        finally:
            self._managers.pop(user_id, None)


class _Exchange:
    """A request of an agent and its response, which can be ended in good order at any moment.

    If the user `may_move`, the response begins with its first part: nothing is sent of one that says they have moved.
    """

    def __init__(self, receive: Receive, send: Send, visit: AgentVisit, *, may_move: bool) -> None:
        self.has_begun = False
        self._receive = receive
        self._send = send
        self._visit = visit
        self._may_move = may_move
        self._start: Message | None = None
        self._has_left = False
        self._is_whole = False

    @property
    def has_arrived(self) -> bool:
        """Whether the whole response was sent to an agent that was not seen to leave."""
        return self._is_whole and not self._has_left

    async def receive(self) -> Message:
        """Return a part of the request, or that the agent has gone."""
        message = await self._receive()
        self._has_left = message["type"] == "http.disconnect" and not self._is_whole
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response, unless the user has moved before it began."""
        if message["type"] == "http.response.start" and self._may_move:
            self._start = message
            return
        if self._visit.moved and not self.has_begun:
            return
        self.has_begun = True
        self._is_whole = message["type"] == "http.response.body" and not message.get("more_body", False)
        start, self._start = self._start, None
        if start:
            await self._send(start)
        await self._send(message)

    async def end(self) -> None:
        """End the response. Raises TooManyError if there is none yet."""
        if not self.has_begun:
            raise TooManyError(_(_STOPPED))
        if not self._is_whole:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
