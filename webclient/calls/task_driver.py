"""Follows one task from its handle to its end: store the handle, poll, answer, poll again.

The call needs nothing but the handle: it survives its session and this process, and goes on by polling.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import anyio

from webclient import protocol
from webclient.calls.checkpoint import TaskCheckpoint, to_json
from webclient.calls.driving import DriverServices
from webclient.calls.outcomes import Outcome, outcome_of
from webclient.calls.polling import Polls
from webclient.calls.push_task import PushTask
from webclient.calls.running import RunningCall
from webclient.calls.task_ends import TaskOverError, is_task_unknown, task_ended, task_gone
from webclient.calls.task_notices import TaskNotices
from webclient.calls.task_requests import TaskRequests
from webclient.domain.errors import ConflictError
from webclient.domain.model import Era, Reason, ReasonCode, Task, TaskStatus
from webclient.protocol import MalformedResultError, ServerError, TaskReport, TaskWire, Trouble
from webclient.servers.connections import Connection

LOST_PAUSES = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15)
"""Seconds before a poll that got no answer is made again; the last repeats. A dead connection is known by then."""

MOST_FAILED = 8
"""Polls in a row that a server answers with an error, after which the call fails with it. With the growing pauses
that takes some minutes."""

CANCEL_TIMEOUT = 1.5
"""Seconds that a server has to take the cancellation of a task, when its call has ended here."""

CANCEL_PAUSE = 0.25
"""Seconds between two looks at a task that is being cancelled."""

CONNECTION_LOST = -32000
"""The code of the SDK for a request that got no response; ours says that nothing was sent."""

_FINAL = (-32601, -32021, -32003)
"""Errors that the same request would get again: the server has no tasks, or wants them declared otherwise."""

logger = logging.getLogger(__name__)


class TaskDriver:
    """Follows the task of one call. `connection` is the one on which the server was asked last."""

    def __init__(
        self,
        running: RunningCall,
        connection: Connection,
        checkpoint: TaskCheckpoint,
        task: Task,
        services: DriverServices,
    ) -> None:
        self.connection = connection
        self.has_required = bool(checkpoint.requests)
        self._running = running
        self._checkpoint = checkpoint
        self._task = task
        self._services = services
        self._failures = 0
        self._is_over = False
        running.progress_token = checkpoint.progress_token

    async def outcome(self) -> Outcome:
        """Return the outcome of the call. Raises TaskOverError, and the errors of a call."""
        with self._services.scheduler.polling(self._running.call.id, self._running.call.user_id) as polls:
            requests = self._requests_through(polls)
            call = self._running.call
            notices = TaskNotices(call, self._task.id, polls, self._services.connections)
            try:
                await self._store_handle()
                if self._checkpoint.generation == Era.ROUNDS:
                    notices.begin()
                return await self._follow(polls, requests)
            except BaseException:
                if not self._is_over and not self._running.handed_over:
                    await self._cancel()
                raise
            finally:
                notices.end()
                self.has_required |= requests.has_required
                await requests.stop()

    def _requests_through(self, polls: Polls) -> TaskRequests | PushTask:
        """Return how this generation asks the person, and gives the result."""
        if self._checkpoint.generation == Era.ROUNDS:
            return TaskRequests(self._running, self._checkpoint, polls, self._services)
        return PushTask(self._task.id, polls, self._wire, self._ready)

    async def _store_handle(self) -> None:
        """Write the handle, before anything else is done with it. Raises ConflictError if the call has ended."""
        await self._services.work.keep(self._running.call.server_key)
        if self._running.resumable:
            return
        if not await self._running.change(checkpoint=to_json(self._checkpoint), task=self._task):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))

    async def _follow(self, polls: Polls, requests: TaskRequests | PushTask) -> Outcome:
        await requests.restore()
        await self._running.show_waiting()
        if self._task.status is TaskStatus.WORKING and not self._checkpoint.requests:
            await polls.until_due(self._task)
        while True:
            report = await self._poll(polls)
            self._is_over = report.task.status.ended
            await self._note(report.task)
            try:
                result = await requests.seen(report, self.connection)
            except ServerError as error:
                return outcome_of(error)
            if result is not None:
                return outcome_of(result)
            if report.task.status.ended:
                raise task_ended(report.task)
            await self._send(polls, requests)
            await polls.until_due(self._task)

    async def _poll(self, polls: Polls) -> TaskReport:
        """Ask how the task stands, until the server says so."""
        while True:
            await self._ready()
            try:
                report = await self._wire().get(self._task.id)
            except ServerError as error:
                await self._after(error, polls)
            else:
                self._failures = 0
                polls.succeeded()
                return report

    async def _send(self, polls: Polls, requests: TaskRequests | PushTask) -> None:
        """Send the answers that are there; what cannot be sent now is sent after the next poll."""
        try:
            if await requests.send(self._wire):
                polls.hurry()
        except ServerError as error:
            await self._after(error, polls)
            polls.hurry()

    async def _after(self, error: ServerError, polls: Polls) -> None:
        """Wait before the next poll after one that failed. Raises the error if no poll will succeed."""
        if error.trouble is Trouble.SIGN_IN:
            async with self._running.waiting(round_number=self._checkpoint.round):
                await self.connection.until_signed_in()
        elif error.unanswered or error.not_run:
            self.connection.look_after(error)
            self._failures += 1
            await asyncio.sleep(LOST_PAUSES[min(self._failures, len(LOST_PAUSES)) - 1])
        elif is_task_unknown(error):
            self._is_over = True
            raise task_gone(self._task, error)
        elif error.code in _FINAL or polls.failed() >= MOST_FAILED:
            raise error
        else:
            await polls.until_due(self._task)

    async def _ready(self) -> Connection:
        """Wait for a session in which the task can be reached, and use it from now on."""
        self.connection = await self._connected()
        return self.connection

    def _wire(self) -> TaskWire:
        """Return the requests on tasks in the current session. Raises ServerError if it was lost."""
        try:
            return protocol.tasks_of(self.connection.session)
        except ConflictError as lost:
            raise ServerError(CONNECTION_LOST, "session lost", trouble=Trouble.NOT_SENT) from lost

    async def _connected(self) -> Connection:
        """Wait for a session in which the task can be reached. Raises ConflictError and TaskOverError."""
        key = self._running.call.server_key
        if await self._services.connections.waits_for_sign_in(key):
            async with self._running.waiting(round_number=self._checkpoint.round):
                connection = await self._services.connections.ready(key)
        else:
            connection = await self._services.connections.ready(key)
        version, created = connection.status.protocol_version or "", self._checkpoint.generation
        if version != created:
            # The two generations share a name, and nothing else: the server could not find the task.
            self._is_over = True
            raise TaskOverError(Reason.of(ReasonCode.TASK_OTHER_ERA, created=created, now=version))
        return connection

    async def _note(self, task: Task) -> None:
        """Store what the server tells of the task, if it is news. Raises ConflictError if the call has ended."""
        if task.id != self._task.id:
            raise MalformedResultError("taskId: it is another task")
        newest = replace(task, received_at=self._task.received_at)
        # The server may touch the task with each look at it; that alone is not worth a write.
        is_news = replace(newest, updated_at=None) != replace(self._task, updated_at=None)
        self._task = newest
        if is_news and not await self._running.change(task=newest):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))

    async def _cancel(self) -> None:
        """Cancel the task at its server, because the call has ended here; a server that is not there goes on."""
        with anyio.move_on_after(CANCEL_TIMEOUT, shield=True):
            try:
                wire = self._wire()
                newest = await wire.cancel(self._task.id)
                # An acknowledgement does not say that the task was cancelled (2026-07-28); what a server of 2025-11-25
                # says with it is its last word (R13).
                while newest is None or not (newest.status.ended or self._checkpoint.generation != Era.ROUNDS):
                    newest = (await wire.get(self._task.id)).task
                    if not newest.status.ended:
                        await asyncio.sleep(CANCEL_PAUSE)
                await self._running.note_task(replace(newest, received_at=self._task.received_at))
            except (ServerError, MalformedResultError) as error:
                logger.info("The task of call %s could not be cancelled: %s", self._running.call.id, error)
