"""One session with a server: open it, monitor it, settle what is open on it, close it.

It runs in one task, as the SDK's task groups demand. Everything that happens in it is reported to one listener.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import anyio
from mcp import MCPError
from mcp.client import ClientRequestContext, ClientSession, IncomingMessage
from mcp.types import ElicitCompleteNotification, ElicitRequestParams, ElicitResult, ErrorData
from pydantic import ValidationError

from webclient.errors import ConflictError
from webclient.masking import mask_secrets
from webclient.model import Catalog, ConnectionFault, Json, Reason, ReasonCode, ServerRequest, ServerState, now
from webclient.protocol.completions import Completions
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.explain import NotReadyError, explain, shown_by
from webclient.protocol.limits import ServerLimits
from webclient.protocol.list_changes import ListChanges
from webclient.protocol.listing import read_catalog
from webclient.protocol.liveness import PATIENCE, Liveness
from webclient.protocol.log_level import request_logs
from webclient.protocol.negotiation import EraReason, described, negotiated, seconds_alone, shown
from webclient.protocol.session_events import INTERNAL_ERROR, ElicitationRefusedError, SessionEvents
from webclient.protocol.startup_output import Startup
from webclient.protocol.stderr import StderrTail
from webclient.protocol.stdio_processes import Child
from webclient.protocol.stdout import Skipped
from webclient.protocol.tap import Tap, current_request
from webclient.protocol.transport_state import TransportState
from webclient.protocol.transports import open_transport

logger = logging.getLogger(__name__)


class Session:
    """A session with the server at `endpoint`; `client` speaks to the server while the session stands.

    `ran_out` says that the time for connecting was over before that, `starts_over` that the next one begins otherwise.
    `ping_interval` is the seconds after which an idle server is asked whether it is there, and `next_ping` gives those
    that count at the moment, which are more when there are many servers.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        listener: SessionEvents,
        limits: ServerLimits,
        *,
        ping_interval: float,
        next_ping: Callable[[], float],
    ) -> None:
        self.client: ClientSession | None = None
        self.ran_out = False
        self.starts_over = False
        self._endpoint = endpoint
        self._listener = listener
        self._limits = limits
        self._next_ping = next_ping
        self._stopping = asyncio.Event()
        self._lost = asyncio.Event()
        self._wire = TransportState(ping_interval * PATIENCE, self._lose, limits)
        self._completions = Completions(partial(listener.completed, endpoint))
        self._startup = Startup(lambda: self._words.text, self._starts)
        self._words = StderrTail(self._startup.wrote)
        self._skipped = Skipped(endpoint.server.label, self._skips)
        self._tap: Tap | None = None
        self._child: Child | None = None
        self._liveness: Liveness | None = None
        self._gone: Exception | None = None
        self._list_changes = ListChanges(endpoint.lists_changed, endpoint.tell)
        # A scope of anyio's, never `Task.cancel`: the SDK shields the end of a child process from the one only.
        self._scope = anyio.CancelScope()
        self._tasks: set[asyncio.Task[None]] = set()
        endpoint.interrupted = None

    @property
    def was_established(self) -> bool:
        """Whether the session stood, even if it has ended since."""
        return self._wire.established

    @property
    def may_speak_other_transport(self) -> bool:
        """Whether the server refused the first message in a way that the other HTTP transport may cure."""
        return self._wire.refusal is not None and self._wire.refusal.may_be_other_transport

    @property
    def given_up(self) -> Reason | None:
        """Why the session was given up for what its server did; None if it was not."""
        return self._wire.given_up

    @property
    def is_lost(self) -> bool:
        """Whether the session is of no use any more; it may not have ended yet."""
        return self._lost.is_set()

    @property
    def is_open(self) -> bool:
        """Whether the session stands, so that `client` can be used."""
        return self.client is not None and not self.is_lost

    async def read_catalog(self) -> Catalog:
        """List everything that the server declares. Raises ConflictError when it does not answer."""
        if self.client is None:
            raise ConflictError(self._loss().reason)
        try:
            return await read_catalog(self.client, self._limits)
        except (MCPError, TimeoutError, ValidationError) as error:
            endpoint = self._endpoint
            raise ConflictError(explain(error, endpoint.server, hidden=endpoint.secrets).reason) from error

    def forget(self) -> None:
        """Give the session up: the server no longer knows it."""
        self._wire.forget()

    def stop(self) -> None:
        """End the session from here; `endpoint.interrupted` says why."""
        self._stopping.set()
        # What the server asks by itself from now on is not answered any more.
        self._wire.closing = True
        if self.client is None:
            self.abandon()

    def abandon(self) -> None:
        """End the session at once, in whatever order."""
        self._scope.cancel()

    def kill(self) -> None:
        """Kill the child, if there still is one."""
        if self._child:
            self._child.kill()

    def probe(self) -> None:
        """Look now whether the server is there; something went wrong."""
        self._wire.troubled.set()

    async def run(self) -> ConnectionFault:
        """Open the session, and monitor it until it ends; return what ended it."""
        with self._words as words:
            try:
                with self._scope:
                    await self._open(words)
            except Exception as error:  # noqa: BLE001  (whatever a transport raises becomes a reason)
                if self._wire.given_up:
                    return self._loss()
                if news := shown_by(error):
                    self.starts_over = "speaks" in news
                    await self._listener.learned(self._endpoint, news)
                endpoint = self._endpoint
                return explain(error, endpoint.server, words.text, endpoint.secrets, self._wire.refusal)
            finally:
                self._startup.end()
                self._skipped.end()
        return self._loss()

    def _loss(self) -> ConnectionFault:
        server = self._endpoint.server
        if self._gone is not None and not self._wire.given_up:
            return explain(self._gone, server, hidden=self._endpoint.secrets)
        code = ReasonCode.SESSION_UNKNOWN if self._wire.forgotten else ReasonCode.SESSION_LOST
        return ConnectionFault(reason=self._wire.given_up or Reason.of(code, where=server.address))

    def _lose(self) -> None:
        """Note that the session is of no use any more, and why, before anybody asks."""
        if not self._stopping.is_set():
            self._endpoint.interrupted = self.given_up or Reason(ReasonCode.CONNECTION_LOST)
        self._lost.set()

    async def _open(self, words: StderrTail) -> None:
        self._child = Child(self._wire)
        seconds = self._limits.connect_seconds
        limit = asyncio.timeout(seconds)
        try:
            await self._within(limit, words)
        except TimeoutError as error:
            self.ran_out = limit.expired()
            if not self.ran_out:
                raise
            await self._listener.learned(self._endpoint, {"silent": True})
            raise NotReadyError(seconds) from error

    async def _within(self, limit: asyncio.Timeout, words: StderrTail) -> None:
        endpoint = self._endpoint
        async with limit, open_transport(endpoint.transport, words, self._skipped, self._wire) as transport:
            self._tap = Tap(
                transport,
                self._wire,
                on_refused=self._refused,
                on_withdrawn=self._withdrawn,
                on_delivered=self._delivered,
                on_logged=partial(self._listener.logged, endpoint),
                modes=lambda: endpoint.server.modes,
            )
            server = endpoint.server
            alone = seconds_alone(server.learned, piped=self._wire.piped)
            callbacks = {"elicitation_callback": self._elicited, "message_handler": self._received}
            async with negotiated(self._tap, server.era, alone=alone, **callbacks) as (client, reason):
                limit.reschedule(None)
                self._startup.end()
                await self._listener.learned(endpoint, shown(client, reason))
                self._established(client, reason)
                try:
                    await self._monitor(client)
                finally:
                    # Shielded: a transport that breaks cancels this task, and what is open must still be settled.
                    with anyio.CancelScope(shield=True):
                        await self._leave()

    def _established(self, client: ClientSession, reason: EraReason) -> None:
        self.client = client
        self._wire.established = True
        self._endpoint.lists_changed()
        self._endpoint.set_status(state=ServerState.CONNECTED, error=None, era_reason=reason, **described(client))

    async def _monitor(self, client: ClientSession) -> None:
        self._liveness = Liveness(
            client,
            self._wire,
            interval=self._next_ping,
            busy=lambda: self._listener.is_busy(self._endpoint),
            tell=self._fell_silent,
        )
        watch = asyncio.create_task(self._liveness.until_gone())
        asides = [asyncio.create_task(each) for each in (self._list_changes.listen(client), request_logs(client))]
        waits = [asyncio.create_task(each.wait()) for each in (self._stopping, self._lost)]
        try:
            await asyncio.wait([*waits, watch], return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                self._gone = watch.result()
        finally:
            self._list_changes.end()
            for wait in (*waits, watch, *asides):
                wait.cancel()

    async def _leave(self) -> None:
        self.client = None
        stopped = self._stopping.is_set()
        if not stopped:
            self._lose()
            self._endpoint.set_status(state=ServerState.RECONNECTING, error=self._loss())
        if self._wire.forgotten and self._liveness:
            await self._liveness.until_refused()
        await self._listener.lost(self._endpoint, stopped=stopped)
        if self._tap:
            await self._tap.abandon()
        await self._wire.abandon()

    async def _elicited(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the SDK's signature; the tap knows more)
        params: ElicitRequestParams,  # noqa: ARG002
    ) -> ElicitResult | ErrorData:
        try:
            answer = await self._listener.elicited(self._endpoint, current_request())
        except ElicitationRefusedError as refused:
            return ErrorData(code=refused.code, message=str(refused))
        except Exception:
            # Caught here: the SDK would send the text of any exception to the server.
            logger.exception("An elicitation of server %s failed", self._endpoint.server.id)
            return ErrorData(code=INTERNAL_ERROR, message="The question could not be put to the person.")
        return ElicitResult(action=answer.action.value, content=answer.content)

    async def _received(self, message: IncomingMessage) -> None:
        self._list_changes.notified(message)
        if isinstance(message, ElicitCompleteNotification) and self._completions.tell(message.params.elicitation_id):
            self._spawn(self._completions.work())

    def _withdrawn(self, request: ServerRequest) -> None:
        if request.wants_delivery:
            # It may have been answered a moment ago; then the SDK does not let the answer out any more.
            self._spawn(self._delivered(request, arrived=False))

    def _refused(self, request: ServerRequest, error: str) -> None:
        if request.method == "elicitation/create":
            self._spawn(self._listener.malformed(self._endpoint, request, error))

    async def _delivered(self, request: ServerRequest, arrived: bool) -> None:
        await self._listener.delivered(self._endpoint, request, arrived=arrived)

    def _starts(self, output: str | None) -> None:
        output = output and mask_secrets(self._endpoint.secrets, output)
        if output != self._endpoint.status.startup_output:
            self._endpoint.set_status(startup_output=output)

    def _skips(self, skipped: Json) -> None:
        first = mask_secrets(self._endpoint.secrets, skipped["first"])
        self._endpoint.set_status(skipped=skipped | {"first": first})

    def _fell_silent(self, silent: bool) -> None:
        if silent != (self._endpoint.status.quiet_since is not None):
            self._endpoint.set_status(quiet_since=now() if silent else None)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
