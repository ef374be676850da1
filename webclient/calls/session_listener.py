"""The one listener of all sessions: passes their events on to the inbox, the running calls and the pages.

It knows which calls run, so it decides to which of them a pushed request may belong; the inbox does the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import anyio

from webclient.calls.delivery import Deliveries
from webclient.calls.hosting import Hosting
from webclient.calls.logs import Logs
from webclient.calls.polling import PollScheduler
from webclient.calls.refusals import checked_result, refusals
from webclient.calls.running import RunningCall, RunningCalls
from webclient.calls.saved_sessions import SavedSessions
from webclient.content.visible_text import shortened
from webclient.domain.model import (
    CallState,
    Came,
    Delivery,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    RequestState,
    SavedSession,
    Server,
    ServerRequest,
)
from webclient.inbox import (
    Arrival,
    Ending,
    HostedAnswers,
    HostedTaskError,
    Inbox,
    Intake,
    Pushed,
    RefusedError,
    cut_off,
    is_automatic,
    task_of,
    waiting_calls,
    withdrawal_of,
    withdrawn,
)
from webclient.protocol import (
    Endpoint,
    RequestRefusedError,
)
from webclient.protocol.wire_log import Direction, MessageKind, WireLogs, WireMessage
from webclient.servers.connections import remember
from webclient.store import Store
from webclient.store.live import Hub


class SessionListener:
    """Implements `protocol.SessionEvents` for the whole program."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        *,
        inbox: Inbox,
        intake: Intake,
        running_calls: RunningCalls,
        deliveries: Deliveries,
        tasks: HostedAnswers,
        wire_logs: WireLogs,
        saved_sessions: SavedSessions,
        scheduler: PollScheduler,
    ) -> None:
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._intake = intake
        self._running_calls = running_calls
        self._deliveries = deliveries
        self._tasks = tasks
        self._hosting = Hosting(store, inbox, intake, tasks, saved_sessions)
        self._wire_logs = wire_logs
        self._saved_sessions = saved_sessions
        self._scheduler = scheduler
        self._logs = Logs(store, hub, running_calls)

    def changed(self, endpoint: Endpoint) -> None:
        """Publish that the server has changed."""
        self._hub.publish(endpoint.server.user_id, "server", endpoint.server.id)

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember for the next connection what this one has shown of the server."""
        await remember(self._store, endpoint, news)

    async def requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of what the server asked. Raises RequestRefusedError."""
        possible = self._possible_calls(endpoint, request)
        with refusals(request):
            return checked_result(await self._settled(endpoint, possible, request))

    async def hosted(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Host the request as a task, and return it. Raises RequestRefusedError."""
        possible = self._possible_calls(endpoint, request)
        arrival = _arrival(endpoint, possible, request, came=Came.HOSTED)
        with refusals(request):
            return await self._hosting.host(
                arrival,
                possible,
                request,
                lambda: withdrawal_of(request, endpoint.server.label) or _ending(endpoint),
            )

    async def task_requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return what the server asks about a task. Raises RequestRefusedError."""
        with refusals(request):
            if request.method != "tasks/result":
                return await self._tasks.answer(endpoint.server, request.method, request.params)
            settled, result = await self._tasks.result(endpoint.server, request.params)
            request.answers, request.wants_delivery = settled.id, True
            return result

    async def task_ended(self, endpoint: Endpoint, task_id: str) -> Json:
        """Wait until a task has ended, and return it. Raises RequestRefusedError."""
        try:
            return task_of(await self._tasks.ended(endpoint.server, task_id))
        except HostedTaskError as error:
            raise RequestRefusedError(error.code, str(error)) from error

    async def _settled(self, endpoint: Endpoint, possible: list[RunningCall], request: ServerRequest) -> InputRequest:
        arrival = _arrival(endpoint, possible, request)
        tracked = self._intake.pushed_requests.tracking(arrival.requests[request.id], request)
        with tracked as pushed:
            async with self._settling(endpoint, pushed):
                admitted = (await self._intake.admit(arrival))[request.id]
                if is_automatic(admitted):
                    # First the history has it, then the server.
                    await self._intake.record(admitted)
                if not admitted.pending:
                    return admitted
                request.wants_delivery = True
                async with waiting_calls(possible) as waiting:
                    with waiting.begin() as changes:
                        await self._intake.put(endpoint, arrival.call, [pushed.request], changes)
                    await self._intake.pushed_requests.catch_up(pushed)
                    return await self._inbox.answer_to(pushed.request, waiting.end)

    @asynccontextmanager
    async def _settling(self, endpoint: Endpoint, pushed: Pushed) -> AsyncIterator[None]:
        """Settle the request if the block that waits for its answer is cancelled, unless it outlives the session."""
        try:
            yield
        except RefusedError:
            raise
        except BaseException:
            running = self._running_calls.get(pushed.request.call_id)
            ending = (running and running.ending) or pushed.withdrawn
            if ending is None and endpoint.interrupted and self._saved_sessions.outlives(pushed.request):
                pushed.server_request.outlives_session = True
                raise
            # Shielded: the scope may be cancelled already, and the card must still say why.
            with anyio.CancelScope(shield=True):
                await self._inbox.settle(pushed.request, *(ending or _ending(endpoint)))
                await self._deliveries.record([pushed.request], Delivery.FAILED)
            raise

    async def requested_again(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of a request that an earlier connection has left open. Raises RequestRefusedError."""
        row = await self._store.of(endpoint.server.user_id).requests.get(request.id)
        running = self._running_calls.get(row.call_id)
        request.wants_delivery = True
        with self._intake.pushed_requests.tracking(row, request) as pushed:
            async with self._settling(endpoint, pushed), waiting_calls([running] if running else []) as waiting:
                await waiting.begin_again()
                return checked_result(await self._inbox.answer_to(row, waiting.end))

    async def opened(
        self, endpoint: Endpoint, session: SavedSession | None, *, resumed: bool
    ) -> Sequence[ServerRequest]:
        """Return the requests of tasks that were left open in a resumed session; in a new one they end."""
        left = await self._saved_sessions.opened(endpoint.server.key, session, resumed=resumed)
        return [_reopened(request) for request in left]

    async def saved_session(self, endpoint: Endpoint) -> SavedSession | None:
        """Return what resumes the session with the server, if tasks go on in it."""
        return await self._saved_sessions.find(endpoint.server.key)

    async def left_open(self, _endpoint: Endpoint, session: SavedSession) -> None:
        """Store what is open in a session that is saved."""
        await self._saved_sessions.left_open(session)

    async def not_resumed(self, endpoint: Endpoint) -> None:
        """Forget the session, which the server does not know any more."""
        await self._saved_sessions.forget(endpoint.server.key)

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

    def _possible_calls(self, endpoint: Endpoint, request: ServerRequest) -> list[RunningCall]:
        return self._running_calls.possible_calls(endpoint.server.key, request.call_id, request.task_id)

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Show a request that the SDK refused."""
        possible = self._possible_calls(endpoint, request)
        reason = Reason.of(ReasonCode.MALFORMED, error=shortened(error, 500))
        await self._intake.admit(_arrival(endpoint, possible, request, {request.id: reason}))

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, delivery: Delivery) -> None:
        """Record how far the answer got; one that the server may lack is sent again in a resumed session."""
        arrived = delivery is Delivery.DELIVERED
        if request.answers:
            # The answer of a task can be fetched again if it did not arrive.
            if arrived:
                await self._deliveries.record_fetched(endpoint.server.user_id, request.answers)
                await self._hosting.fetched(endpoint.server.key)
            return
        if not arrived and await self._outlives(endpoint, request):
            return
        await self._deliveries.record_pushed(endpoint.server.user_id, request.id, delivery)

    async def _outlives(self, endpoint: Endpoint, request: ServerRequest) -> bool:
        """Return whether the next connection sends the answer again, and note that."""
        if not request.outlives_session:
            # A request that was withdrawn, or whose call ended, before it was stored has no row.
            rows = await self._store.of(endpoint.server.user_id).requests.by_ids([request.id])
            request.outlives_session = request.id in rows and self._saved_sessions.outlives(rows[request.id])
        return request.outlives_session

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Complete the links of this server that wait for these ids."""
        await self._inbox.links.notified(endpoint.server.user_id, endpoint.server.id, completed_at)

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Store a log message of the server with its call."""
        self._logs.logged(endpoint, call_id, params)

    def passed(self, endpoint: Endpoint, message: WireMessage, text: str | bytes | None) -> None:
        """Add a message to the wire log, with the calls that it may belong to."""
        if not self._wire_logs.is_on:
            return
        if not message.call_ids and _may_be_of_a_call(message):
            possible = self._running_calls.possible_calls(endpoint.server.key, None)
            message.call_ids = tuple(running.call.id for running in possible)
        self._wire_logs.add(endpoint.server.key, message, text, endpoint.secrets)

    def posted(self, endpoint: Endpoint, message: WireMessage, text: str | bytes) -> None:
        """Set the text of a message in the wire log."""
        self._wire_logs.set_text(endpoint.server.key, message, text)

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle the requests and end the calls of a session that is about to end.

        A call that survives its session continues in the next one, unless this one is `stopped` from here.
        """
        await self._end(endpoint.server, _interrupted(endpoint), stopped=stopped)

    def forgotten(self, endpoint: Endpoint) -> None:
        """Drop what is in memory about the session with the server."""
        self._saved_sessions.let_go(endpoint.server.key)

    async def _end(self, server: Server, ending: Ending, *, stopped: bool) -> None:
        here = self._running_calls.of_server(server.key)
        ended = [each for each in here if not each.handed_over and (stopped or not each.survives_session)]
        spared = {each.call.id for each in here if each not in ended}
        pending = await self._store.of(server.user_id).request_lists.pending_from(server.id)
        await asyncio.gather(*(running.stop(CallState.INTERRUPTED, ending) for running in ended))
        gone = self._running_calls.is_handed_over
        left = [each for each in pending if each.call_id not in spared and not gone(each.call_id)]
        remaining = await self._hosting.outlive(server, [each for each in left if each.came is Came.HOSTED], ending)
        await self._inbox.settle_all([each for each in left if each.id not in remaining], *ending)

    def is_busy(self, endpoint: Endpoint) -> bool:
        """Return whether the server works for a call or waits for an answer; between two rounds it is idle."""
        key = endpoint.server.key
        working = any(not running.survives_session for running in self._running_calls.of_server(key))
        return working or self._intake.pushed_requests.any_from(key, but=self._saved_sessions.outlives)

    def is_awaited(self, endpoint: Endpoint) -> bool:
        """Return whether a call waits to resume in the server's next session."""
        return any(running.resumable for running in self._running_calls.of_server(endpoint.server.key))

    async def close(self) -> None:
        """Write the log messages that are left, and stop following the hosted requests."""
        await self._hosting.close()
        await self._logs.close()


def _arrival(
    endpoint: Endpoint,
    possible: list[RunningCall],
    request: ServerRequest,
    malformed: Mapping[str, Reason] | None = None,
    came: Came = Came.PUSHED,
) -> Arrival:
    return Arrival(
        source=endpoint,
        calls=[running.call for running in possible],
        came=came,
        entries={request.id: {"method": request.method, "params": request.params}},
        task_id=request.task_id,
        wire_id=request.wire_id,
        malformed=malformed or {},
    )


def _reopened(request: InputRequest) -> ServerRequest:
    """Return a request as it came on an earlier connection; its method matters no more."""
    return ServerRequest(
        id=request.id,
        method="",
        params=request.params,
        call_id=request.call_id,
        wire_id=request.wire_id,
        task_id=request.task_id,
    )


_OF_CALLS = ("notifications/message", "notifications/elicitation/complete")
"""Notifications that name no call, and mostly belong to one."""


def _may_be_of_a_call(message: WireMessage) -> bool:
    """Return whether a server sends such a message mainly while it works for a call."""
    if message.direction is Direction.SENT:
        return False
    return message.kind is MessageKind.REQUEST or message.method in _OF_CALLS


def _interrupted(endpoint: Endpoint) -> Ending:
    """Return how a request ends with its session."""
    return (RequestState.INTERRUPTED, endpoint.interrupted) if endpoint.interrupted else cut_off()


def _ending(endpoint: Endpoint) -> Ending:
    """Return how a request ends whose handler was cancelled: its session ended, or its server withdrew it."""
    return withdrawn() if endpoint.interrupted is None else _interrupted(endpoint)
