"""One session with a server from its beginning to its end: opened, watched over, and taken leave of before it closes.

It must run in one task (the SDK's task groups demand that). Whatever ends it, what is open on it is told first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.client import ClientRequestContext, ClientSession, IncomingMessage
from mcp.types import ElicitCompleteNotification, ElicitRequestParams, ElicitResult, ErrorData

from webclient.calls.logs import want_logs
from webclient.calls.running import Ending, cut_off
from webclient.i18n import gettext as _
from webclient.inbox.withdrawal import taken_back
from webclient.model import Json, RequestState
from webclient.protocol.completions import Completions
from webclient.protocol.explain import NotReadyError, explain, shown_by
from webclient.protocol.list_changes import ListChanges
from webclient.protocol.liveness import PATIENCE, Liveness
from webclient.protocol.negotiation import EraReason, negotiated, seconds_alone, shown
from webclient.protocol.pushed import answer_pushed
from webclient.protocol.session_events import SessionEvents
from webclient.protocol.startup_output import Startup
from webclient.protocol.stderr import StderrTail
from webclient.protocol.stdio_processes import Child
from webclient.protocol.stdout import Skipped
from webclient.protocol.tap import Asked, Tap
from webclient.protocol.transport_state import TransportState
from webclient.protocol.transports import open_transport

if TYPE_CHECKING:
    from webclient.servers.connection import Connection


class Session:
    """A session of `connection`; `client` speaks to the server while the session stands.

    `ran_out` says that the time for connecting was over before that, `starts_over` that the next one begins otherwise.
    `beat` is the seconds after which an idle server is asked whether it is there.
    """

    def __init__(self, connection: Connection, listener: SessionEvents, *, beat: float) -> None:
        self.client: ClientSession | None = None
        self.ran_out = False
        self.starts_over = False
        self._connection = connection
        self._listener = listener
        self._lost = asyncio.Event()
        self._wire = TransportState(beat * PATIENCE, self._lost.set, listener.limits)
        self._completions = Completions(partial(listener.notified, connection))
        self._startup = Startup(lambda: self._words.text, connection.starts)
        self._words = StderrTail(self._startup.wrote)
        self._skipped = Skipped(connection.server.label, connection.skipped)
        self._tap: Tap | None = None
        self._child: Child | None = None
        self._liveness: Liveness | None = None
        self._gone: Exception | None = None
        self._list_changes = ListChanges(lambda: listener.changed(connection))
        # A scope of anyio's, never `Task.cancel`: the SDK shields the end of a child process from the one only.
        self._scope = anyio.CancelScope()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def was_established(self) -> bool:
        """Whether the session stood, even if it has ended since."""
        return self._wire.established

    @property
    def may_speak_other_transport(self) -> bool:
        """Whether the server refused the first message in a way that the other HTTP transport may cure."""
        return self._wire.refusal is not None and self._wire.refusal.may_be_other_transport

    @property
    def given_up(self) -> bool:
        """Whether the session was given up for what the server did, so that another would end in the same way."""
        return bool(self._wire.given_up)

    @property
    def is_lost(self) -> bool:
        """Whether the session is of no use any more; it may not have ended yet."""
        return self._lost.is_set()

    def forget(self) -> None:
        """Give the session up: the server no longer knows it."""
        self._wire.forget()

    def close(self) -> None:
        """Answer nothing more that the server asks by itself: the session is about to be ended from here."""
        self._wire.closing = True

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

    def why_unanswered(self) -> Ending:
        """Return the state and the reason for a question whose callback the SDK has just cancelled."""
        if self.given_up:
            return RequestState.INTERRUPTED, self._loss()["message"]
        return cut_off() if self._lost.is_set() or (self._tap and self._tap.closed) else taken_back()

    async def hold(self) -> Json:
        """Hold the session until it ends; return what ended it."""
        with self._words as words:
            try:
                with self._scope:
                    await self._session(words)
            except Exception as error:  # noqa: BLE001  (whatever a transport raises becomes a sentence)
                if self._wire.given_up:
                    return self._loss()
                if news := shown_by(error):
                    self.starts_over = "speaks" in news
                    self._connection.learn(**news)
                    await self._listener.found(self._connection)
                return explain(error, self._connection.server, words.text, self._connection.secrets, self._wire.refusal)
            finally:
                self._startup.end()
                self._skipped.end()
        return self._loss()

    def _loss(self) -> Json:
        server = self._connection.server
        if self._wire.given_up:
            return {"message": _("The connection was given up. {why}").format(why=self._wire.given_up)}
        if self._gone is not None:
            return explain(self._gone, server, hidden=self._connection.secrets)
        if self._wire.forgotten:
            return {"message": _("{where} no longer knows the session; it was restarted.").format(where=server.address)}
        return {"message": _("The connection to {where} was lost.").format(where=server.address)}

    async def _session(self, words: StderrTail) -> None:
        self._child = Child(self._wire)
        seconds = self._listener.limits.connect_seconds
        limit = asyncio.timeout(seconds)
        try:
            await self._within(limit, words)
        except TimeoutError as error:
            self.ran_out = limit.expired()
            if not self.ran_out:
                raise
            self._connection.learn(silent=True)
            raise NotReadyError(f"{seconds:g}") from error

    async def _within(self, limit: asyncio.Timeout, words: StderrTail) -> None:
        async with (
            limit,
            open_transport(self._connection.transport, words, self._skipped, self._wire) as transport,
        ):
            self._tap = Tap(
                transport,
                self._wire,
                on_refused=self._refused,
                on_taken_back=self._taken_back,
                on_logged=partial(self._listener.logged, self._connection),
                modes=lambda: self._connection.server.modes,
            )
            server = self._connection.server
            alone = seconds_alone(server.learned, piped=self._wire.piped)
            callbacks = {"elicitation_callback": self._asked, "message_handler": self._told}
            async with negotiated(self._tap, server.era, alone=alone, **callbacks) as (session, reason):
                limit.reschedule(None)
                self._startup.end()
                self._connection.learn(**shown(session, reason))
                await self._listener.found(self._connection)
                self._established(session, reason)
                try:
                    await self._watch(session)
                finally:
                    # Shielded: a transport that breaks cancels this task, and what is open must still be told.
                    with anyio.CancelScope(shield=True):
                        await self._leave()

    def _established(self, session: ClientSession, reason: EraReason) -> None:
        self.client = session
        self._wire.established = True
        self._connection.established(session, reason)

    async def _watch(self, session: ClientSession) -> None:
        self._liveness = Liveness(
            session,
            self._wire,
            interval=self._listener.rhythm,
            busy=lambda: self._listener.busy(self._connection),
            tell=self._connection.fell_silent,
        )
        watch = asyncio.create_task(self._liveness.until_gone())
        asides = [asyncio.create_task(each) for each in (self._list_changes.listen(session), want_logs(session))]
        waits = [asyncio.ensure_future(wait) for wait in (self._connection.until_stopping(), self._lost.wait())]
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
        if not self._connection.stopping:
            self._lost.set()
            self._connection.lost(self._loss())
        if self._wire.forgotten and self._liveness:
            await self._liveness.until_refused()
        await self._listener.lost(self._connection, self._connection.why_unanswered()[1])
        if self._tap:
            await self._tap.abandon()
        await self._wire.abandon()

    async def _asked(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the SDK's signature; the tap knows more)
        params: ElicitRequestParams,  # noqa: ARG002
    ) -> ElicitResult | ErrorData:
        return await answer_pushed(self._listener, self._connection)

    async def _told(self, message: IncomingMessage) -> None:
        self._list_changes.notified(message)
        if isinstance(message, ElicitCompleteNotification) and self._completions.tell(message.params.elicitation_id):
            self._spawn(self._completions.work())

    def _taken_back(self, asked: Asked) -> None:
        if asked.told is not None:
            # It may have been answered a moment ago; then the SDK does not let the answer out any more.
            self._spawn(asked.told(False))

    def _refused(self, asked: Asked, error: str) -> None:
        self._spawn(self._listener.malformed(self._connection, asked, error))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
