"""Work in the sessions with servers: calls, their tasks, and the requests whose answers servers wait for.

A session over HTTP outlives its connection while a task of 2025-11-25 runs in it. Most servers report on a task only in
the session that created it, and wait there for the answers to their questions. So the session is saved before its first
task starts, and the questions of its tasks stay open without a connection (MCP 2025-11-25, Transports, Session
Management; Tasks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from webclient.calls.polling import PollScheduler
from webclient.calls.running import RunningCalls
from webclient.domain.errors import NotFoundError
from webclient.domain.model import (
    CallState,
    Delivery,
    InputRequest,
    Json,
    ListedRequest,
    Origin,
    ReasonCode,
    RequestState,
    SavedSession,
    Server,
    ServerKey,
    ServerRequest,
)
from webclient.inbox import Deliveries, Ending, Inbox, Intake, cut_off, kind_of
from webclient.protocol import Endpoint, WorkEvents
from webclient.store import StorageError, Store

_ENDS_HOSTED = (
    ReasonCode.SERVER_DISCONNECTED,
    ReasonCode.USER_DISABLED,
    ReasonCode.ADDRESS_CHANGED,
    ReasonCode.ENTRY_CHANGED,
    ReasonCode.ENTRY_REMOVED,
    ReasonCode.ERA_CHANGED,
    ReasonCode.SIGN_IN_REMOVED,
)
"""The ends of a session after which its user does not expect the questions of the server any more."""


class SessionWork(WorkEvents):
    """The work in all sessions, and the saved sessions that the next connection resumes."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        intake: Intake,
        *,
        deliveries: Deliveries,
        running_calls: RunningCalls,
        scheduler: PollScheduler,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._intake = intake
        self._deliveries = deliveries
        self._running_calls = running_calls
        self._scheduler = scheduler
        self._current: dict[ServerKey, SavedSession] = {}
        self._stored: set[ServerKey] = set()
        self._calls_resumed = asyncio.Event()
        self._resuming: dict[str, asyncio.Event] = {}

    def is_busy(self, endpoint: Endpoint) -> bool:
        """Return whether the server works for a call or waits for an answer; between two rounds it is idle."""
        key = endpoint.server.key
        working = any(not running.survives_session for running in self._running_calls.of_server(key))
        return working or self._intake.pushed_requests.any_from(key, but=self.outlives)

    def is_awaited(self, endpoint: Endpoint) -> bool:
        """Return whether a call waits to resume in the server's next session."""
        return any(running.resumable for running in self._running_calls.of_server(endpoint.server.key))

    def task_changed(self, endpoint: Endpoint, params: Json) -> None:
        """Bring the next poll of a task forward: what a notice says is never relied on (MCP 2025-11-25, Tasks)."""
        task_id = params.get("taskId")
        for running in self._running_calls.with_tasks(endpoint.server.key):
            if running.task_id == task_id:
                self._scheduler.hurry(running.call.id)

    async def progressed(self, endpoint: Endpoint, token: str | int, step: Json) -> None:
        """Report the progress of a call that is to run as a task; other calls get it with their response."""
        for running in self._running_calls.of_server(endpoint.server.key):
            if running.on_progress and running.progress_token == token:
                await running.on_progress(step["progress"], step.get("total"), step.get("message"))

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle the requests and end the calls of a session that is about to end.

        A call that survives its session continues in the next one, unless this one is `stopped` from here. If that is
        because the program stops, the next process may resume it.
        """
        server = endpoint.server
        if endpoint.interrupted and endpoint.interrupted.code is ReasonCode.CLIENT_STOPPED:
            await self._running_calls.hand_over_resumable()
        ending = (RequestState.INTERRUPTED, endpoint.interrupted) if endpoint.interrupted else cut_off()
        here = self._running_calls.of_server(server.key)
        ended = [each for each in here if not each.handed_over and (stopped or not each.survives_session)]
        spared = {each.call.id for each in here if each not in ended}
        pending = await self._store.of(server.user_id).request_lists.pending_from(server.id)
        await asyncio.gather(*(running.stop(CallState.INTERRUPTED, ending) for running in ended))
        gone = self._running_calls.is_handed_over
        left = [each for each in pending if each.call_id not in spared and not gone(each.call_id)]
        remaining = await self._remaining(server, [each for each in left if each.origin is Origin.HOSTED], ending)
        await self._inbox.settle_all([each for each in left if each.id not in remaining], *ending)

    async def _remaining(self, server: Server, hosted: Sequence[ListedRequest], ending: Ending) -> set[str]:
        """Return which of these hosted requests stay open although their session ends, by id.

        Most do: the server fetches the answers in another session, unless the user has put an end to that.
        """
        code = ending[1].code
        if code in _ENDS_HOSTED:
            return set()
        if hosted and code is ReasonCode.PERMISSIONS_CHANGED:
            server = await self._store.of(server.user_id).servers.get(server.id)
            hosted = [each for each in hosted if kind_of(each).mode in server.modes]
        return {each.id for each in hosted}

    def calls_resumed(self) -> None:
        """Note that the calls of the earlier process run again."""
        self._calls_resumed.set()

    @contextmanager
    def resuming(self, user_id: str) -> Iterator[None]:
        """Have sessions of a user wait until the block has resumed their calls."""
        resumed = self._resuming[user_id] = asyncio.Event()
        try:
            yield
        finally:
            del self._resuming[user_id]
            resumed.set()

    async def keep(self, key: ServerKey) -> None:
        """Store what resumes the current session, before work begins that goes on in it."""
        if key in self._current and key not in self._stored:
            await self._save(self._current[key])

    async def release(self, key: ServerKey) -> None:
        """Forget what resumes the session if nothing goes on in it any more."""
        if key in self._stored and not await self._goes_on(key):
            await self._forget(key)

    async def saved_session(self, endpoint: Endpoint) -> SavedSession | None:
        """Return what resumes the session with the server, if work goes on in it."""
        key = endpoint.server.key
        await self._calls_resumed.wait()
        if resumed := self._resuming.get(key[0]):
            await resumed.wait()
        saved = await self._store.of(key[0]).saved_sessions.get(key[1])
        if saved is None:
            return None
        self._stored.add(key)
        if not await self._goes_on(key):
            await self._forget(key)
            return None
        return saved

    async def not_resumed(self, endpoint: Endpoint) -> None:
        """Forget the session, which the server does not know any more."""
        await self._forget(endpoint.server.key)

    async def _forget(self, key: ServerKey) -> None:
        self._stored.discard(key)
        await self._store.of(key[0]).saved_sessions.remove(key[1])

    async def opened(
        self, endpoint: Endpoint, session: SavedSession | None, *, resumed: bool
    ) -> Sequence[ServerRequest]:
        """Note the session that was opened; return the requests that still wait to be answered in a resumed one.

        In a new one they end, because the server that waits for their answers does so in another session.
        """
        key = endpoint.server.key
        self._current.pop(key, None)
        if session:
            self._current[key] = session
            # Also a new session: a server may know a task in every session, and ask for the rest of it in this one.
            if resumed or await self._goes_on(key):
                await self._save(session)
        left = await self._left_open(key)
        if resumed:
            return [_reopened(each) for each in left]
        await self._inbox.settle_all([each for each in left if each.pending], *cut_off())
        await self._deliveries.record([each for each in left if not each.pending], Delivery.UNKNOWN)
        return ()

    def forgotten(self, endpoint: Endpoint) -> None:
        """Forget what is in memory about the session with a disconnected server."""
        self._current.pop(endpoint.server.key, None)
        self._stored.discard(endpoint.server.key)

    async def left_open(self, endpoint: Endpoint, session: SavedSession) -> None:
        """Store what is open in a session that outlives its connection."""
        key = endpoint.server.key
        if key in self._stored:
            self._current[key] = session
            # Without it a question may be lost that the server asks while it cannot reach us.
            with suppress(StorageError):
                await self._save(session)

    def outlives(self, request: InputRequest) -> bool:
        """Return whether a pushed request belongs to a task, and stays open without its connection."""
        is_of_task = any(each.call.id == request.call_id for each in self._running_calls.with_tasks(request.server_key))
        return request.server_key in self._stored and is_of_task

    async def _save(self, session: SavedSession) -> None:
        key = session.user_id, session.server_id
        try:
            await self._store.of(key[0]).saved_sessions.save(session)
        except NotFoundError:
            # The server was removed meanwhile.
            return
        self._stored.add(key)

    async def _goes_on(self, key: ServerKey) -> bool:
        if self._running_calls.with_tasks(key):
            return True
        return await self._store.of(key[0]).hosted_tasks.any_of(key[1])

    async def _left_open(self, key: ServerKey) -> list[InputRequest]:
        """Return the requests of tasks that an earlier connection has left without an answer."""
        found = [await self._inbox.of_call(running.call) for running in self._running_calls.with_tasks(key)]
        return [request for each in found for request in each if self._is_left(request)]

    def _is_left(self, request: InputRequest) -> bool:
        if request.origin is not Origin.PUSHED or self._intake.pushed_requests.is_tracked(request):
            return False
        # An answer is complete in its row unless some of its values were not to be stored.
        unsent = request.delivery is Delivery.SENDING and not request.gone
        return request.state is RequestState.PENDING or unsent


def _reopened(request: InputRequest) -> ServerRequest:
    """Return a request as it came on an earlier connection; its method is not needed again."""
    return ServerRequest(
        id=request.id,
        method="",
        params=request.params,
        call_id=request.call_id,
        wire_id=request.ids.wire_id,
        task_id=request.ids.task_id,
    )
