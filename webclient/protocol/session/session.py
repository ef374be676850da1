"""One session with a server: open it, monitor it, settle what is open in it, close it.

It runs in one task, as the SDK's task groups require. Each of its events is reported to its listener.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import anyio
from mcp import MCPError
from mcp.client import ClientSession, IncomingMessage
from mcp.types import ElicitCompleteNotification
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from webclient.domain.errors import ConflictError
from webclient.domain.model import (
    Catalog,
    ConnectionFault,
    Delivery,
    Era,
    Json,
    Reason,
    ReasonCode,
    Server,
    ServerRequest,
    ServerState,
)
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.messages.capabilities import PERSON_REQUESTS
from webclient.protocol.messages.limits import ServerLimits
from webclient.protocol.messages.listing import read_catalog, read_tools
from webclient.protocol.session.callbacks import callbacks_of
from webclient.protocol.session.connection_faults import (
    NotReadyError,
    connection_fault,
    learned_from_error,
    listing_fault,
)
from webclient.protocol.session.hosted_tasks import HostedTasks
from webclient.protocol.session.liveness import SHOWN_AFTER, Liveness
from webclient.protocol.session.negotiation import (
    EraReason,
    handshake_delay,
    learned_from,
    negotiated,
    refuses_the_handshake,
    server_description,
)
from webclient.protocol.session.notifications import Completions, ListChanges, progress_in, request_logs, tell_changes
from webclient.protocol.session.session_events import SessionEvents
from webclient.protocol.session.session_resumption import Resumption
from webclient.protocol.session.subscriptions import Subscriptions
from webclient.protocol.session.tap import Tap, current_request
from webclient.protocol.transports.bearer import Bearer
from webclient.protocol.transports.stderr import StartupOutput, StderrTail
from webclient.protocol.transports.stdio_processes import ChildProcess
from webclient.protocol.transports.stdout_messages import SkippedLines
from webclient.protocol.transports.transport_state import TransportState
from webclient.protocol.transports.transports import open_transport
from webclient.support import background

logger = logging.getLogger(__name__)


class Session:
    """A session with the server at `endpoint`; `client` sends requests while the session is open.

    `ping_interval` is the seconds after which an idle server is pinged; `next_ping` gives the seconds that apply now,
    which are more if there are many servers. `resumption` resumes an earlier session. `timed_out` says that the time
    for connecting ran out, `era_found` that the era became known, so that the next session begins with it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        events: SessionEvents,
        limits: ServerLimits,
        *,
        ping_interval: float,
        next_ping: Callable[[], float],
    ) -> None:
        self.client: ClientSession | None = None
        self.timed_out = False
        self.era_found = False
        self._endpoint = endpoint
        self._events = events
        self._limits = limits
        self._next_ping = next_ping
        self._stopping = asyncio.Event()
        self._lost = asyncio.Event()
        self._transport_state = TransportState(ping_interval * SHOWN_AFTER, self._lose, limits)
        self._bearer = Bearer(endpoint)
        self._completions = Completions(partial(events.requests.completed, endpoint))
        self._startup = StartupOutput(lambda: self._stderr.text, endpoint.show_startup)
        self._stderr = StderrTail(self._startup.wrote)
        self._skipped = SkippedLines(endpoint.server.label, endpoint.show_skipped)
        self._tap: Tap | None = None
        self._child: ChildProcess | None = None
        self._liveness: Liveness | None = None
        self._error: Exception | None = None
        self._list_changes = ListChanges(endpoint.lists_changed, endpoint.notify)
        self._subscriptions = Subscriptions(endpoint, partial(events.notices.subscribed_again, endpoint))
        self.resumption = Resumption(endpoint, events, self._transport_state)
        # A scope of anyio's, never `Task.cancel`: the SDK shields the end of a child process from the scope only.
        self._scope = anyio.CancelScope()
        endpoint.interrupted = None

    @property
    def was_established(self) -> bool:
        """Whether the session was opened, even if it has ended since."""
        return self._transport_state.established

    @property
    def may_speak_other_transport(self) -> bool:
        """Whether the server refused the first message like one of the other HTTP transport."""
        refusal = self._transport_state.refusal
        return refusal is not None and refusal.may_be_other_transport

    @property
    def sign_in_wanted(self) -> bool:
        """Whether the server opens no session before the user has signed in."""
        return self._transport_state.sign_in_wanted

    @property
    def http_status(self) -> int | None:
        """The status with which an HTTP server refused the session."""
        return self._transport_state.refusal.status if self._transport_state.refusal else None

    @property
    def given_up(self) -> Reason | None:
        """The reason if the session was closed for a fault of its server, or None."""
        return self._transport_state.given_up

    @property
    def is_lost(self) -> bool:
        """Whether the session cannot be used any more; it may not have ended yet."""
        return self._lost.is_set()

    @property
    def is_open(self) -> bool:
        """Whether `client` can be used."""
        return self.client is not None and not self.is_lost

    async def read_catalog(self) -> Catalog:
        """List everything that the server declares. Raises ConflictError when it does not answer."""
        if self.client is None:
            raise ConflictError(self._loss().reason)
        try:
            catalog = await read_catalog(self.client, self._limits)
            self._transport_state.param_headers.note(catalog.tools)
            return catalog
        except (MCPError, TimeoutError, ValidationError) as error:
            endpoint = self._endpoint
            raise ConflictError(listing_fault(error, endpoint.server, endpoint.secrets)) from error

    async def know_headers(self) -> None:
        """List the tools if calls need their HTTP headers, which are not known yet."""
        state, client = self._transport_state, self.client
        if client is None or state.piped or state.param_headers.known:
            return
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            # A tool that cannot be listed may be called all the same: the server knows what it wants.
            with suppress(MCPError, TimeoutError, ValidationError):
                state.param_headers.note(await read_tools(client, self._limits))

    def server_changed(self, earlier: Server) -> None:
        """Tell the server what its user has changed, unless the next request says it."""
        self._subscriptions.changed()
        if self.client:
            background.start(tell_changes(self.client, earlier, self._endpoint.server), name="changed server")

    def resources_changed(self) -> None:
        """Handle that other resources than before are to be followed."""
        self._subscriptions.changed()

    def forget_headers(self) -> None:
        """Forget the headers of the tools, which the server has changed without a word."""
        self._transport_state.param_headers.known = False

    def lose(self) -> None:
        """End the session because the server no longer knows it."""
        self._transport_state.lose_session()

    def stop(self) -> None:
        """Close the session from here; `endpoint.interrupted` says why."""
        self._stopping.set()
        # New requests of the server are ignored from now on.
        self._transport_state.closing = True
        if self.client is None:
            self.abandon()

    def abandon(self) -> None:
        """End the session at once, without closing it properly."""
        self._scope.cancel()

    def kill(self) -> None:
        """Kill the child process, if there still is one."""
        if self._child:
            self._child.kill()

    def probe(self) -> None:
        """Ping the server now, because something went wrong."""
        self._transport_state.needs_ping.set()

    async def run(self) -> ConnectionFault:
        """Open the session, and monitor it until it ends; return why it ended."""
        with self._stderr:
            try:
                with self._scope:
                    await self._open()
            except Exception as error:  # noqa: BLE001  (any error of a transport becomes a reason)
                return await self._fault(error)
            finally:
                self._startup.end()
                self._skipped.end()
        return self._loss()

    async def _fault(self, error: Exception) -> ConnectionFault:
        if self._transport_state.given_up or self.resumption.refused:
            return self._loss()
        if news := learned_from_error(error):
            self.era_found = "speaks" in news
            await self._events.servers.learned(self._endpoint, news)
        if self._is_spoilt(error):
            self.era_found = self._endpoint.handshake_first = True
        elif not self.was_established:
            self._endpoint.handshake_first = False
        server, secrets = self._endpoint.server, self._endpoint.secrets
        return connection_fault(error, server, self._stderr.text, secrets, self._transport_state.refusal)

    def _is_spoilt(self, error: Exception) -> bool:
        """Return whether `server/discover` may have spoilt the child for the handshake, so that a new one is needed.

        A bridge to another server takes the first message for the handshake (supergateway 4), and some servers exit
        when it is another one.
        """
        return (
            self._transport_state.piped
            and self._endpoint.server.era is Era.AUTO
            and not self._endpoint.handshake_first
            and not self.was_established
            and refuses_the_handshake(error)
        )

    def _loss(self) -> ConnectionFault:
        server = self._endpoint.server
        if self._error is not None and not self.given_up:
            return connection_fault(self._error, server, hidden=self._endpoint.secrets)
        code = ReasonCode.SESSION_UNKNOWN if self._transport_state.session_unknown else ReasonCode.SESSION_LOST
        return ConnectionFault(reason=self.given_up or Reason.of(code, where=server.address))

    def _lose(self) -> None:
        """Note that the session cannot be used any more, and why, before anything else happens."""
        if not self._stopping.is_set():
            self._endpoint.interrupted = self.given_up or Reason(ReasonCode.CONNECTION_LOST)
        self._lost.set()
        if self.sign_in_wanted:
            # The SDK would wait for a response, or take its absence for a sign of the other era.
            self.abandon()

    async def _open(self) -> None:
        self._child = ChildProcess(self._transport_state)
        seconds = self._limits.connect_seconds
        limit = asyncio.timeout(seconds)
        try:
            await self._connect(limit)
        except TimeoutError as error:
            self.timed_out = limit.expired()
            if not self.timed_out:
                raise
            await self._events.servers.learned(self._endpoint, {"silent": True})
            raise NotReadyError(seconds) from error

    async def _connect(self, limit: asyncio.Timeout) -> None:
        endpoint, server, state = self._endpoint, self._endpoint.server, self._transport_state
        era = await self.resumption.begin()
        opened = open_transport(endpoint, self._stderr, self._skipped, state, self._bearer)
        async with limit, opened as transport:
            self._tap = Tap(
                transport,
                state,
                on_refused=self._refused,
                on_withdrawn=self._withdrawn,
                on_delivered=self._delivered,
                on_logged=partial(self._events.logs.logged, endpoint),
                on_message=partial(self._events.wire_logs.passed, endpoint),
                on_text=partial(self._events.wire_logs.set_text, endpoint.server.key),
                on_task=partial(self._events.work.task_changed, endpoint),
                on_notice=self._noticed,
                server=lambda: endpoint.server,
                hosted_tasks=HostedTasks(self._events.hosted_tasks, endpoint),
            )
            delay = handshake_delay(server.learned, piped=state.piped)
            callbacks = callbacks_of(self._requested) | {"message_handler": self._received}
            first_id, first = state.keeping.first_id, endpoint.handshake_first
            begun = negotiated(self._tap, era, delay=delay, first_id=first_id, handshake_first=first, **callbacks)
            async with begun as (client, found):
                await self.resumption.check(client)
                limit.reschedule(None)
                self._startup.end()
                if not state.keeping.resumed:
                    await self._events.servers.learned(endpoint, learned_from(client, found))
                reason = self.resumption.reason(found)
                self._established(client, reason)
                await self.resumption.opened(client, reason, self._tap)
                try:
                    await self._monitor(client)
                finally:
                    # Shielded: a transport that breaks cancels this task, and open requests must still be settled.
                    with anyio.CancelScope(shield=True):
                        await self._close()

    def _established(self, client: ClientSession, reason: EraReason) -> None:
        self.client = client
        self._transport_state.established = True
        self._endpoint.lists_changed()
        description = server_description(client)
        self._endpoint.set_status(state=ServerState.CONNECTED, error=None, era_reason=reason, **description)
        self._events.notices.reopened(self._endpoint)

    async def _monitor(self, client: ClientSession) -> None:
        state, busy = self._transport_state, partial(self._events.work.is_busy, self._endpoint)
        self._liveness = Liveness(
            client, state, interval=self._next_ping, busy=busy, on_silence=self._endpoint.show_silence
        )
        gone = asyncio.create_task(self._liveness.until_gone())
        work = self._list_changes.listen(client), self._subscriptions.run(client)
        helpers = [asyncio.create_task(each) for each in (*work, request_logs(client, self._endpoint.server))]
        ends = [asyncio.create_task(each.wait()) for each in (self._stopping, self._lost)]
        try:
            await asyncio.wait([*ends, gone], return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                self._error = gone.result()
        finally:
            self._list_changes.end()
            self._subscriptions.end()
            for task in (*ends, gone, *helpers):
                task.cancel()

    async def _close(self) -> None:
        """Settle what is open in the session, before its transport is closed."""
        self.client = None
        stopped = self._stopping.is_set()
        if not stopped:
            self._lose()
            self._endpoint.set_status(state=ServerState.RECONNECTING, error=self._loss())
        if self._transport_state.session_unknown and self._liveness:
            await self._liveness.until_refused()
        await self._events.work.lost(self._endpoint, stopped=stopped)
        await self.resumption.end()
        self._bearer.end()
        if self._tap:
            await self._tap.abandon()
        await self._transport_state.abandon()

    async def _requested(self) -> Json:
        request = current_request()
        if request.task is None:
            return await self._events.requests.requested(self._endpoint, request)
        request.reply = await self._events.requests.hosted(self._endpoint, request)
        return PERSON_REQUESTS[request.method]

    async def _received(self, message: IncomingMessage) -> None:
        self._list_changes.received(message)
        self._subscriptions.received(message)
        if progress := progress_in(message):
            await self._events.work.progressed(self._endpoint, *progress)
        if isinstance(message, ElicitCompleteNotification) and self._completions.add(message.params.elicitation_id):
            background.start(self._completions.work(), name="completions")

    def _noticed(self, call_id: str | None, method: str, params: Json) -> None:
        if method.endswith("/list_changed"):
            # Before anyone who hears of it reads the list again.
            self._endpoint.lists_changed()
        self._events.notices.noticed(self._endpoint, call_id, method, params)

    def _withdrawn(self, request: ServerRequest) -> None:
        if not self.resumption.withdraw(request) and request.wants_delivery:
            # If it was answered a moment ago, the SDK does not send that answer any more.
            background.start(self._delivered(request, Delivery.FAILED), name="delivery")

    def _refused(self, request: ServerRequest, error: str) -> None:
        if request.method in PERSON_REQUESTS:
            background.start(self._events.requests.malformed(self._endpoint, request, error), name="malformed request")

    async def _delivered(self, request: ServerRequest, delivery: Delivery) -> None:
        await self._events.requests.delivered(self._endpoint, request, delivery)
        if request.outlives_session and delivery is not Delivery.DELIVERED:
            # The next connection sends it again, in this session.
            self._transport_state.lost()
