"""One MCP client session to one server for one user, kept alive by one owner task.

The owner alone enters and leaves the session (the SDK's task groups demand that). It connects, watches, reconnects
with growing pauses after a loss, and stops; whatever ends the session, calls and questions are told first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context
from dataclasses import replace
from random import uniform
from time import monotonic
from typing import Any, Protocol

import anyio
from mcp import Client, MCPError
from mcp.client import ClientRequestContext, ClientSession, IncomingMessage
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    ElicitCompleteNotification,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from webclient import __version__
from webclient.connections.catalog import Catalog
from webclient.connections.explain import CONNECT_TIMEOUT, EraError, explain, is_lost_session
from webclient.connections.open_calls import Ending, cut_off, taken_back
from webclient.connections.pulse import PATIENCE, Pulse
from webclient.connections.stderr import LastWords, last_words
from webclient.connections.tap import Asked, Tap
from webclient.connections.transports import open_transport
from webclient.connections.wire import Wire
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.model import Era, Json, RequestState, Server, ServerState, ServerStatus, now
from webclient.store import StorageError

logger = logging.getLogger(__name__)

PAUSES = (0.5, 1, 2, 5, 10, 30)
"""Seconds between attempts to reconnect; the last repeats."""

STEADY = 30
"""Seconds that a session lasts at least before its loss counts as the first one again."""

STOP_TIMEOUT = 3.2
"""Seconds that a session has to end in good order; a child that will not stop is killed after three."""

ABANDON_TIMEOUT = 1
"""Seconds that a session which did not end in good order has to be torn down."""

_MODES = {Era.AUTO: "auto", Era.PUSH: "legacy", Era.ROUNDS: "auto"}


class Surroundings(Protocol):
    """What a connection needs of the house: somebody to ask, and to be told."""

    async def pushed(self, connection: Connection) -> ElicitResult | ErrorData:
        """Answer a question of the server."""

    async def malformed(self, connection: Connection, asked: Asked, error: str) -> None:
        """Show a question that had to be refused."""

    async def notified(self, connection: Connection, elicitation_id: str) -> None:
        """Take note that the person has done what the elicitation asked for, as the server says."""

    async def lost(self, connection: Connection, reason: str) -> None:
        """Settle what is open on the connection: its session is about to go, or gone."""

    def busy(self, connection: Connection) -> bool:
        """Whether the server works for somebody, or waits for an answer, on this very session."""

    def rhythm(self) -> float:
        """Return the seconds between two looks whether an idle server is there."""

    def changed(self, connection: Connection) -> None:
        """Tell that `connection.status` is another."""


class Connection:
    """The connection to `server`; `status` says how it stands, `session` speaks to it while it is connected.

    `catalog` is what the server offered when it was last asked. `beat` is the seconds after which an idle server is
    asked whether it is there.
    """

    def __init__(self, server: Server, surroundings: Surroundings, *, beat: float) -> None:
        self.server = server
        self.status = ServerStatus()
        self.catalog = Catalog()
        self._surroundings = surroundings
        self._session: ClientSession | None = None
        self._tap: Tap | None = None
        self._beat = beat
        self._wire = Wire(beat * PATIENCE, lambda: None)
        self._gone: Exception | None = None
        self._lost = asyncio.Event()
        self._stopping = asyncio.Event()
        self._moved = asyncio.Event()
        self._was_connected = False
        self._reason = ""
        self._holding = anyio.CancelScope()
        self._owner: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def session(self) -> ClientSession:
        """The session. Raises ConflictError, with a sentence, while there is none."""
        if self._session is None:
            raise ConflictError(
                _("{label} is not connected (it is {state}). Connect it first.").format(
                    label=self.server.label, state=self.status.state
                )
            )
        return self._session

    async def ready(self) -> ClientSession:
        """Wait while the session is being made, and return it. Raises ConflictError when there will be none."""
        while self.status.state in (ServerState.CONNECTING, ServerState.RECONNECTING) or self._is_going:
            self._moved.clear()
            await self._moved.wait()
        return self.session

    @property
    def stopping(self) -> bool:
        """Whether somebody has ended the connection, and it was not lost."""
        return self._stopping.is_set()

    @property
    def _is_going(self) -> bool:
        # The session is of no use any more, and the owner has not come to it yet.
        return self._lost.is_set() and self.status.state is ServerState.CONNECTED

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._set(state=ServerState.CONNECTING, error=None)
        # An empty context: handlers of the session inherit it, and must not find somebody's call in it.
        self._owner = asyncio.create_task(self._own(), name=f"connection {self.server.id}", context=Context())

    async def stop(self, reason: str) -> None:
        """End the session, and a child process with it, within five seconds; `reason` is told on what was open."""
        self._reason = reason
        self._stopping.set()
        if self._owner is None:
            return
        if self._session is None:
            self._holding.cancel()
        await asyncio.wait([self._owner], timeout=STOP_TIMEOUT)
        self._holding.cancel()
        await asyncio.wait([self._owner], timeout=ABANDON_TIMEOUT)
        # Also where the owner had ended long before, with an error that still stood there.
        if self.status.state is not ServerState.DISCONNECTED:
            self._set(state=ServerState.DISCONNECTED, error=None)

    def can_take_over(self, server: Server) -> bool:
        """Whether the connection can go on with what the user changed of the server.

        The era cannot change under way. Nor can the modes that a 2025-11-25 session has announced (MCP 2025-11-25,
        Lifecycle: both sides MUST only use what was negotiated); 2026-07-28 announces them with each request.
        """
        by_request = self.status.protocol_version in MODERN_PROTOCOL_VERSIONS
        return server.era is self.server.era and (by_request or server.modes == self.server.modes)

    def take_over(self, server: Server) -> None:
        """Go on with what the user changed of the server."""
        self.server = replace(server, transport=self.server.transport)

    def lose(self) -> None:
        """Give the session up and connect anew: it turned out to be of no use."""
        self._lost.set()

    def probe(self) -> None:
        """Look now whether the server is there; something went wrong."""
        self._wire.troubled.set()

    def look_after(self, error: Exception) -> None:
        """Do what is to be done for the connection when a call on it ended with this error."""
        if isinstance(error, MCPError) and is_lost_session(error):
            self.lose()
        elif isinstance(error, MCPError) and error.error.code == CONNECTION_CLOSED:
            self.probe()

    def why_unanswered(self) -> Ending:
        """Return the state and the reason for a question whose callback the SDK has just cancelled."""
        if self._stopping.is_set():
            return RequestState.INTERRUPTED, self._reason
        if self._lost.is_set() or (self._tap and self._tap.closed):
            return cut_off()
        return taken_back()

    async def _own(self) -> None:
        losses = 0
        while not self._stopping.is_set():
            since = monotonic()
            error = await self._hold()
            if self._stopping.is_set():
                break
            if not self._was_connected:
                self._set(state=ServerState.ERROR, error=error, quiet_since=None)
                return
            self._set(state=ServerState.RECONNECTING, error=error, quiet_since=None)
            losses = 0 if monotonic() - since > STEADY else losses
            await self._pause(PAUSES[min(losses, len(PAUSES) - 1)])
            losses += 1
        self._set(state=ServerState.DISCONNECTED, error=None, quiet_since=None)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds * uniform(0.8, 1.2)):  # noqa: S311  (so that not all come at once)
                await self._stopping.wait()

    async def _hold(self) -> Json:
        """Hold one session from its beginning to its end; returns what ended it."""
        self._lost.clear()
        self._gone = None
        # A scope of anyio's, never `Task.cancel`: the SDK shields the end of a child process from the one only.
        self._holding = anyio.CancelScope()
        with last_words() as words:
            try:
                with self._holding:
                    await self._session_of(words)
            except Exception as error:  # noqa: BLE001  (whatever a transport raises becomes a sentence)
                return explain(error, self.server, words.text)
        return self._loss()

    def _loss(self) -> Json:
        if self._gone is not None:
            return explain(self._gone, self.server)
        return {"message": _("The connection to {where} was lost.").format(where=self.server.address)}

    async def _session_of(self, words: LastWords) -> None:
        self._wire = wire = Wire(self._beat * PATIENCE, self._lost.set)
        async with (
            asyncio.timeout(CONNECT_TIMEOUT) as limit,
            open_transport(self.server, words.file, wire) as transport,
        ):
            self._tap = Tap(transport, wire, on_refused=self._refused, modes=lambda: self.server.modes)
            async with self._client(self._tap) as client:
                limit.reschedule(None)
                self._established(client)
                try:
                    await self._watch(client.session)
                finally:
                    # Shielded: a transport that breaks cancels this task, and what is open must still be told.
                    with anyio.CancelScope(shield=True):
                        await self._leave()

    def _client(self, tap: Tap) -> Client:
        return Client(
            tap,
            mode=_MODES[self.server.era],
            elicitation_callback=self._asked,
            message_handler=self._told,
            client_info=Implementation(name="mcp-webclient", version=__version__),
            cache=None,
        )

    def _established(self, client: Client) -> None:
        session = client.session
        if self.server.era is Era.ROUNDS and session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise EraError(session.protocol_version or "?")
        self._session = session
        self._wire.established = True
        self._was_connected = True
        self._set(
            state=ServerState.CONNECTED,
            error=None,
            protocol_version=session.protocol_version,
            server_info=_dump(session.server_info),
            capabilities=_dump(session.server_capabilities),
            instructions=session.instructions,
        )

    async def _watch(self, session: ClientSession) -> None:
        pulse = Pulse(
            session,
            self._wire,
            interval=self._surroundings.rhythm,
            busy=lambda: self._surroundings.busy(self),
            tell=self._quiet,
        )
        watch = asyncio.create_task(pulse.until_gone())
        waits = [asyncio.ensure_future(event.wait()) for event in (self._stopping, self._lost)]
        try:
            await asyncio.wait([*waits, watch], return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                self._gone = watch.result()
        finally:
            for wait in (*waits, watch):
                wait.cancel()

    def _quiet(self, quiet: bool) -> None:
        if quiet != (self.status.quiet_since is not None):
            self._set(quiet_since=now() if quiet else None)

    async def _leave(self) -> None:
        self._session = None
        if not self._stopping.is_set():
            self._lost.set()
            self._set(state=ServerState.RECONNECTING, error=self._loss())
        await self._surroundings.lost(self, self.why_unanswered()[1])
        await self._wire.abandon()

    async def _asked(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the SDK's signature; the tap knows more)
        params: ElicitRequestParams,  # noqa: ARG002
    ) -> ElicitResult | ErrorData:
        try:
            return await self._surroundings.pushed(self)
        except StorageError as error:
            # What cannot be kept cannot be asked: a restart would forget it in silence.
            message = f"The question could not be put to the person: {error.why}."
            return ErrorData(code=INTERNAL_ERROR, message=message)
        except Exception:
            # The SDK would send the exception's text to the server.
            logger.exception("A question of server %s could not be put", self.server.id)
            return ErrorData(code=INTERNAL_ERROR, message="The question could not be put to the person.")

    async def _told(self, message: IncomingMessage) -> None:
        if isinstance(message, ElicitCompleteNotification):
            await self._surroundings.notified(self, message.params.elicitation_id)

    def _refused(self, asked: Asked, error: str) -> None:
        self._spawn(self._surroundings.malformed(self, asked, error))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _set(self, **values: Any) -> None:
        self.status = replace(self.status, **values)
        self._moved.set()
        self._surroundings.changed(self)


def _dump(model: BaseModel | None) -> Json | None:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True) if model else None
