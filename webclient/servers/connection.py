"""The connection to one server for one user, kept alive by one owner task, one session after the other.

The owner connects, reconnects with growing pauses after a loss, and stops; `session.py` has what a session is.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import Context
from dataclasses import replace
from typing import Any

from mcp.client import ClientSession
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.calls.running import Ending
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.masking import mask_secrets, public_transport, secrets_of
from webclient.model import Json, RequestState, Server, ServerState, ServerStatus, now
from webclient.protocol.negotiation import EraReason, described
from webclient.protocol.server_error import ServerError, Trouble
from webclient.protocol.session import Session
from webclient.protocol.session_events import SessionEvents
from webclient.protocol.stdio_processes import ABANDON_TIMEOUT, STOP_TIMEOUT
from webclient.servers.backoff import Attempts
from webclient.servers.catalog import Catalog
from webclient.servers.learned_eras import learned
from webclient.servers.task_support import requires_task

_OTHER = {"http": "sse", "sse": "http"}


class Connection:
    """The connection to `server`; `status` says how it stands, `session` speaks to it while it is connected.

    `transport` is how it is reached, with the secrets that `server.transport` lacks; `secrets` are the texts that no
    sentence may repeat. `wrong` says why no connection can be made at all. `catalog` is what the server offered when it
    was last asked. `beat` is the seconds after which an idle server is asked whether it is there.
    """

    def __init__(
        self, server: Server, transport: Json, listener: SessionEvents, *, beat: float, wrong: str | None = None
    ) -> None:
        self.server = server
        self.transport = transport
        self.secrets = secrets_of(transport, public_transport(server.transport))
        self._wrong = wrong
        self._fell_back = False
        self.status = ServerStatus()
        self.catalog = Catalog()
        self.limits = listener.limits
        self._listener = listener
        self._beat = beat
        self._held: Session | None = None
        self._stopping = asyncio.Event()
        self._moved = asyncio.Event()
        self._was_connected = False
        self._reason = ""
        self._owner: asyncio.Task[None] | None = None

    @property
    def session(self) -> ClientSession:
        """The session. Raises ConflictError, with a sentence, while there is none."""
        if self._held is None or self._held.client is None:
            raise ConflictError(
                _("{label} is not connected (it is {state}). Connect it first.").format(
                    label=self.server.label, state=self.status.state
                )
            )
        return self._held.client

    def requires_task(self, tool_name: str) -> bool:
        """Whether the tool, as the server listed it last, runs only as a task."""
        return requires_task(self.catalog.tool(tool_name) or {}, self.status.capabilities)

    def stands(self, session: ClientSession) -> bool:
        """Whether this is the session still, so that what is sent on it can reach the server."""
        return self._held is not None and self._held.client is session and not self._held.is_lost

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
        return self._held is not None and self._held.is_lost and self.status.state is ServerState.CONNECTED

    def start(self) -> None:
        """Begin to connect; returns at once."""
        if self._wrong is not None:
            self._set(state=ServerState.ERROR, error={"message": self._wrong})
            return
        self._set(state=ServerState.CONNECTING, error=None)
        # An empty context: handlers of the session inherit it, and must not find somebody's call in it.
        self._owner = asyncio.create_task(self._own(), name=f"connection {self.server.id}", context=Context())

    async def stop(self, reason: str) -> None:
        """End the session, and a child process with it, within five seconds; `reason` is told on what was open."""
        self._reason = reason
        self._stopping.set()
        if self._owner is not None:
            await self._end(self._owner)
        # Also where the owner had ended long before, with an error that still stood there.
        if self.status.state is not ServerState.DISCONNECTED:
            self._set(state=ServerState.DISCONNECTED, error=None)

    async def _end(self, owner: asyncio.Task[None]) -> None:
        if self._held:
            self._held.close()
            if self._held.client is None:
                self._held.abandon()
        await asyncio.wait([owner], timeout=STOP_TIMEOUT)
        if self._held:
            self._held.abandon()
        await asyncio.wait([owner], timeout=ABANDON_TIMEOUT)
        if self._held:
            self._held.kill()

    def can_take_over(self, server: Server) -> bool:
        """Whether the connection can go on with what the user changed of the server.

        The era cannot change under way. Nor can the modes that a 2025-11-25 session has announced (MCP 2025-11-25,
        Lifecycle: both sides MUST only use what was negotiated); 2026-07-28 announces them with each request.
        """
        by_request = self.status.protocol_version in MODERN_PROTOCOL_VERSIONS
        return server.era is self.server.era and (by_request or server.modes == self.server.modes)

    def take_over(self, server: Server) -> None:
        """Go on with what the user changed of the server."""
        self.server = server

    def lose(self) -> None:
        """Give the session up, which the server no longer knows, and reconnect."""
        if self._held:
            self._held.forget()

    def probe(self) -> None:
        """Look now whether the server is there; something went wrong."""
        if self._held:
            self._held.probe()

    def look_after(self, error: ServerError) -> None:
        """Do what is to be done for the connection when a call on it ended with this error."""
        if error.trouble is Trouble.SESSION_UNKNOWN:
            self.lose()
        elif error.unanswered:
            self.probe()

    def why_unanswered(self) -> Ending:
        """Return the state and the reason for a question whose callback the SDK has just cancelled."""
        if self.stopping or self._held is None:
            return RequestState.INTERRUPTED, self._reason
        return self._held.why_unanswered()

    @property
    def given_up(self) -> str:
        """Why the session was given up for what its server did, in a sentence; "" if it was not."""
        return self._held.why_unanswered()[1] if self._held and self._held.given_up else ""

    def learn(self, **news: Any) -> None:
        """Note what connecting has shown of the server: the arguments of `learned`."""
        self.server = replace(self.server, learned=learned(self.server.learned, **news))

    def established(self, session: ClientSession, reason: EraReason) -> None:
        """Note that the session stands."""
        self._was_connected = True
        self._set(state=ServerState.CONNECTED, error=None, era_reason=reason, **described(session))

    def starts(self, output: str | None) -> None:
        """Note what the server has written to standard error while it starts; None once that is over."""
        output = output and mask_secrets(self.secrets, output)
        if output != self.status.startup_output:
            self._set(startup_output=output)

    def skipped(self, skipped: Json) -> None:
        """Note which lines of its standard output were skipped: `{count, first}`."""
        self._set(skipped=skipped | {"first": mask_secrets(self.secrets, skipped["first"])})

    def fell_silent(self, silent: bool) -> None:
        """Note that the server does not answer when it is asked whether it is there; False: it does again."""
        if silent != (self.status.quiet_since is not None):
            self._set(quiet_since=now() if silent else None)

    def lost(self, error: Json) -> None:
        """Note that the session is about to end, and why."""
        self._set(state=ServerState.RECONNECTING, error=error)

    async def until_stopping(self) -> None:
        """Wait until somebody ends the connection."""
        await self._stopping.wait()

    async def _own(self) -> None:
        attempts = Attempts()
        first_error: Json | None = None
        while not self._stopping.is_set():
            attempts.begins()
            self._held = Session(self, self._listener, beat=self._beat)
            error = await self._held.hold()
            if self._stopping.is_set() or self._held.starts_over:
                continue
            if self._falls_back():
                first_error = error
                continue
            error = first_error or error
            first_error = None
            again = attempts.failed(ran_out=self._held.ran_out)
            if self._held.given_up or not (again or self._was_connected or self._listener.awaited(self)):
                self._set(state=ServerState.ERROR, error=error, quiet_since=None)
                return
            self._set(state=ServerState.RECONNECTING, error=error, quiet_since=None)
            await self._pause(attempts.pause)
        self._set(state=ServerState.DISCONNECTED, error=None, quiet_since=None)

    def _falls_back(self) -> bool:
        """Turn to the other HTTP transport, once, where nobody chose one; whether that is to be tried now.

        A refused POST may mean that the server speaks HTTP+SSE, a refused GET that it was updated since (MCP
        2025-11-25, Transports, Backwards Compatibility).
        """
        held = self._held
        if held is None or held.was_established or "detect" not in self.transport:
            self._fell_back = False
        elif self._fell_back or held.may_speak_other_transport:
            # After the other one failed as well, back to the first, which the next attempt begins with.
            self.transport = {**self.transport, "type": _OTHER[self.transport["type"]]}
            self._fell_back = not self._fell_back
        return self._fell_back

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _set(self, **values: Any) -> None:
        self.status = replace(self.status, **values)
        self._moved.set()
        self._listener.changed(self)
