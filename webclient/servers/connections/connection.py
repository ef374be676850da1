"""The connection to one server for one user, kept alive by one owner task, one session after the other.

The owner connects, waits for the user's sign-in where the server wants one, reconnects with growing pauses after a
loss, and stops; `protocol.Session` is one session.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from webclient import protocol
from webclient.domain.errors import ConflictError, SignInFailedError
from webclient.domain.model import (
    TEMPORARY,
    ArgumentValues,
    Catalog,
    ConnectionFault,
    Era,
    Json,
    Reason,
    ReasonCode,
    Server,
    ServerState,
    ServerStatus,
    TypedArgument,
)
from webclient.network import Network
from webclient.protocol import (
    ABANDON_TIMEOUT,
    MOST_SIGN_INS,
    STOP_TIMEOUT,
    Authorization,
    Endpoint,
    ServerError,
    ServerLimits,
    SessionEvents,
    Trouble,
    Watched,
)
from webclient.servers.connections.catalog import CatalogCache
from webclient.servers.connections.completion import Completion, completes_arguments
from webclient.servers.connections.next_attempt import Reconnects, TransportFallback
from webclient.servers.connections.task_support import TaskSupport, task_support
from webclient.support import background
from webclient.support.turns import context_of

logger = logging.getLogger(__name__)

UP = (ServerState.CONNECTING, ServerState.CONNECTED, ServerState.RECONNECTING)
"""The states of a connection that has a session, or will have one by itself."""


class Connection:
    """The connection to the server at `endpoint`; `session` is the current session.

    `waits_for_sign_in`: it is disconnected until the user has signed in, and connects again then. `authorization` is
    that sign-in, if there may be one. `networks`, `ca_file` and `watched` are those of `Endpoint`, `ping_interval` and
    `next_ping` of `Session`. `wrong` is the reason why the server cannot be connected at all, such as an invalid
    configuration.
    """

    def __init__(
        self,
        server: Server,
        transport: Json,
        events: SessionEvents,
        *,
        limits: ServerLimits,
        ping_interval: float,
        next_ping: Callable[[], float],
        authorization: Authorization | None = None,
        networks: Sequence[Network] | None = None,
        ca_file: Path | None = None,
        wrong: Reason | None = None,
        watched: Watched | None = None,
    ) -> None:
        changed = events.servers.changed
        self.endpoint = Endpoint(server, transport, changed, authorization, networks, ca_file=ca_file, watched=watched)
        self.waits_for_sign_in = False
        self.limits = limits
        self._wrong = wrong
        self._fallback = TransportFallback(self.endpoint)
        self._events = events
        self._ping_interval = ping_interval
        self._next_ping = next_ping
        self._session: protocol.Session | None = None
        self._catalog = CatalogCache(self.endpoint)
        self._completion = Completion()
        self._stopping = asyncio.Event()
        self._again = asyncio.Event()
        self._not_signed_in: SignInFailedError | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def server(self) -> Server:
        """The server as its user has configured it."""
        return self.endpoint.server

    @property
    def status(self) -> ServerStatus:
        """The status of the connection."""
        return self.endpoint.status

    @property
    def session(self) -> protocol.Session:
        """The current session. Raises ConflictError while there is none."""
        if self._session is None or self._session.client is None:
            raise ConflictError(Reason.of(ReasonCode.NOT_CONNECTED, label=self.server.label, state=self.status.state))
        return self._session

    @property
    def catalog(self) -> Catalog:
        """The last catalog that was read; empty if none was."""
        return self._catalog.newest

    @property
    def knows_catalog(self) -> bool:
        """Whether a catalog was read."""
        return self._catalog.was_read

    async def read_catalog(self, *, to_run: bool = False, refresh: bool = False) -> Catalog:
        """Return the catalog, read again if it is out of date (see `CatalogCache`). Raises ConflictError."""
        return await self._catalog.read(self.session.read_catalog, to_run=to_run, refresh=refresh)

    async def argument_values(self, wanted: TypedArgument) -> ArgumentValues:
        """Return the values that the server suggests for an argument. Raises ConflictError without a session."""
        session = self.session
        if not completes_arguments(self.status.capabilities):
            return ArgumentValues()
        return await self._completion.values(wanted, lambda: protocol.read_argument_values(session, wanted))

    def task_support(self, tool_name: str) -> TaskSupport:
        """Return whether a call of the tool, as last listed, asks for a task; it never does in 2026-07-28."""
        if self.status.protocol_version == Era.ROUNDS:
            return TaskSupport.FORBIDDEN
        return task_support(self.catalog.tool(tool_name), self.status.capabilities)

    def stands(self, session: protocol.Session) -> bool:
        """Return whether `session` is the current one and open, so that messages reach the server."""
        return self._session is session and session.is_open

    async def ready(self) -> protocol.Session:
        """Wait until there is a session, and return it. Raises ConflictError if there will be none."""
        while self.is_coming or self._is_going:
            await self.endpoint.next_status()
        if self._not_signed_in and self.status.state is ServerState.ERROR:
            raise self._not_signed_in
        return self.session

    async def needs_sign_in(self) -> bool:
        """Wait while the connection is made; return whether it needs the user to sign in."""
        while (self.is_coming or self._is_going) and not self.waits_for_sign_in:
            await self.endpoint.next_status()
        return self.waits_for_sign_in

    async def fault_on_connecting(self) -> ConnectionFault | None:
        """Wait while the first session is opened; return why that failed, or None."""
        while self.status.state is ServerState.CONNECTING:
            await self.endpoint.next_status()
        return None if self.status.state is ServerState.CONNECTED else self.status.error

    @property
    def is_coming(self) -> bool:
        """Whether there will be a session: by itself, or as soon as the user has signed in."""
        return self.status.state in (ServerState.CONNECTING, ServerState.RECONNECTING) or self.waits_for_sign_in

    @property
    def is_up(self) -> bool:
        """Whether there is a session, or will be one."""
        return self.status.state is ServerState.CONNECTED or self.is_coming

    def hurry(self) -> None:
        """Connect now if the connection waits for the sign-in: the server may no longer want it."""
        self._again.set()

    async def until_signed_in(self) -> None:
        """Wait until the sign-in that the server wants has ended. Raises SignInFailedError."""
        if self.endpoint.authorization:
            await self.endpoint.authorization.until_signed_in()

    @property
    def _is_going(self) -> bool:
        # The session is lost, and the owner task has not noticed yet.
        return self._session is not None and self._session.is_lost and self.status.state is ServerState.CONNECTED

    def start(self) -> None:
        """Begin to connect; return at once."""
        if self._wrong is not None:
            self._set(state=ServerState.ERROR, error=ConnectionFault(reason=self._wrong))
            return
        self._set(state=ServerState.CONNECTING, error=None)
        # A context of its own: handlers of the session inherit it, and must not find a call in it.
        context = context_of(self.server.user_id)
        self._owner = background.start(self._own(), name="connection", of=self.server.id, context=context)
        self._owner.add_done_callback(self._owner_ended)

    def _owner_ended(self, owner: asyncio.Task[None]) -> None:
        """Show an error if the owner task has died, because nothing else ends what waits for the connection."""
        error = asyncio.CancelledError() if owner.cancelled() else owner.exception()
        if error is None or self._stopping.is_set():
            return
        if self._session:
            self._session.kill()
        self._set(state=ServerState.ERROR, error=ConnectionFault(reason=Reason(ReasonCode.INTERNAL_ERROR)))

    async def stop(self, reason: Reason) -> None:
        """End the session and its child process within five seconds; open work ends for `reason`."""
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
        """Return whether the connection can use the changed `server` without reconnecting.

        A session's era cannot change, nor can what a 2025-11-25 session has announced: modes, extensions and whether
        there are roots (MCP 2025-11-25, Lifecycle: both sides MUST only use what was negotiated); 2026-07-28 announces
        it with each request.
        """
        by_request = self.status.protocol_version == Era.ROUNDS
        return server.era is self.server.era and (by_request or _announced(server) == _announced(self.server))

    def take_over(self, server: Server) -> None:
        """Use the changed `server` from now on."""
        earlier, self.endpoint.server = self.server, server
        self.endpoint.resource_updates.keep(server.followed)
        if self._session:
            self._session.server_changed(earlier)

    def watch_changed(self) -> None:
        """Follow other resources than before, because agents do."""
        if self._session:
            self._session.resources_changed()

    def lose(self) -> None:
        """Forget the session, which the server no longer knows, and reconnect."""
        if self._session:
            self._session.lose()

    def probe(self) -> None:
        """Ping the server now, because something went wrong."""
        if self._session:
            self._session.probe()

    def look_after(self, error: ServerError) -> None:
        """Reconnect or ping if the error of a call calls for it."""
        if error.trouble is Trouble.SESSION_UNKNOWN:
            self.lose()
        elif error.trouble is Trouble.HEADERS_REFUSED:
            self.endpoint.lists_changed()
            if self._session:
                self._session.forget_headers()
        elif error.unanswered:
            self.probe()

    @property
    def given_up(self) -> Reason | None:
        """The reason if we closed the session for a fault of its server, or None."""
        return self._session.given_up if self._session else None

    async def _own(self) -> None:
        await protocol.load_sdk()
        attempts = Reconnects()
        first_error: ConnectionFault | None = None
        was_connected = False
        sign_ins = 0
        while not self._stopping.is_set():
            attempts.begins()
            self._session = session = self._new_session()
            error = await session.run()
            was_connected |= session.was_established
            if self._stopping.is_set() or session.era_found or session.resumption.refused:
                continue
            is_final = session.given_up is not None
            if session.sign_in_wanted:
                sign_ins = 1 if session.was_established else sign_ins + 1
                fault = await self._until_signed_in(sign_ins, session.http_status)
                if fault is None:
                    continue
                error, is_final, sign_ins = fault, fault.reason.code not in TEMPORARY, 0
            elif self._fallback.switches(session):
                first_error = error
                continue
            error = first_error or error
            first_error = None
            again = attempts.failed(timed_out=session.timed_out)
            if is_final or not (again or was_connected or self._events.work.is_awaited(self.endpoint)):
                self._set(state=ServerState.ERROR, error=error, quiet_since=None)
                return
            self._set(state=ServerState.RECONNECTING, error=error, quiet_since=None)
            await self._pause(attempts.pause)
        self._set(state=ServerState.DISCONNECTED, error=None, quiet_since=None)

    async def _until_signed_in(self, sign_ins: int, status: int | None) -> ConnectionFault | None:
        """Wait for a sign-in, one of so many in a row; return why there is none, or None to connect again."""
        required = SignInFailedError(Reason(ReasonCode.SIGN_IN_REQUIRED))
        self._not_signed_in = required if sign_ins > MOST_SIGN_INS else await self._wait_for_sign_in()
        if self._not_signed_in and self._not_signed_in.reason:
            return ConnectionFault(reason=self._not_signed_in.reason, http_status=status)
        if not self._stopping.is_set():
            self._set(state=ServerState.CONNECTING, error=None)
        return None

    async def _wait_for_sign_in(self) -> SignInFailedError | None:
        """Wait until the user has signed in, or the connection is to be made or ended at once; return why it failed."""
        self._again.clear()
        self.waits_for_sign_in = True
        self._set(state=ServerState.DISCONNECTED, error=None, quiet_since=None)
        signing_in = asyncio.create_task(self.until_signed_in())
        others = [asyncio.create_task(each.wait()) for each in (self._stopping, self._again)]
        try:
            await asyncio.wait([signing_in, *others], return_when=asyncio.FIRST_COMPLETED)
            return _failure(signing_in)
        finally:
            self.waits_for_sign_in = False
            for task in (signing_in, *others):
                task.cancel()

    def _new_session(self) -> protocol.Session:
        return protocol.Session(
            self.endpoint,
            self._events,
            self.limits,
            ping_interval=self._ping_interval,
            next_ping=self._next_ping,
        )

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _set(self, **values: object) -> None:
        self.endpoint.set_status(**values)


def _announced(server: Server) -> tuple[object, ...]:
    """Return what is announced to the server when it is connected."""
    return server.modes, server.roots is not None, server.extensions(modern=False)


def _failure(signing_in: asyncio.Task[None]) -> SignInFailedError | None:
    """Return why the sign-in has failed; None if it has not. Raises any other error."""
    error = signing_in.exception() if signing_in.done() else None
    if error is None or isinstance(error, SignInFailedError):
        return error
    raise error
