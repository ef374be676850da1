"""The result of a task of 2025-11-25, for which its server is asked once, and the questions that come with it.

A server holds `tasks/result` back until its task has ended, and most deliver the questions of the task on the stream of
that request. So one is opened when the task first needs the person, and stays open beside the polls (MCP 2025-11-25,
Tasks, Input Required Status). The questions themselves come like all that a server pushes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio

from webclient import protocol
from webclient.calls.polling import Polls
from webclient.calls.task_ends import task_ended
from webclient.domain.model import Json, Task, TaskStatus
from webclient.protocol import ServerError, TaskReport, TaskWire, Trouble
from webclient.servers.connections import Connection
from webclient.support import background

GetWire = Callable[[], TaskWire]
"""Gives the requests on tasks in the current session. Raises ServerError if it was lost."""


class PushTask:
    """Asks for the result of one task; `ready` waits for a session in which it can be reached."""

    has_required = False
    """Whether the server has required input in the way of 2026-07-28, which a push is not."""

    def __init__(self, task_id: str, polls: Polls, wire: GetWire, ready: Callable[[], Awaitable[Connection]]) -> None:
        self._task_id = task_id
        self._polls = polls
        self._wire = wire
        self._ready = ready
        self._asking: asyncio.Task[Json] | None = None
        self._status: TaskStatus | None = None

    async def restore(self) -> None:
        """Do nothing: the requests that an earlier process has left are answered in their session."""

    async def send(self, _wire: GetWire) -> bool:
        """Do nothing: an answer is the response to its request."""
        return False

    @property
    def has_arrived(self) -> bool:
        """Whether the server has sent the result or the error of the call."""
        asking = self._asking
        return asking is not None and asking.done() and not (asking.cancelled() or _says_nothing(asking.exception()))

    async def seen(self, report: TaskReport, connection: Connection) -> Json | None:
        """Ask for the result if the task needs the person or has ended; return it in the second case.

        Raises ServerError, with which the call ends, MalformedResultError, and the errors of `ready`.
        """
        task, before = report.task, self._status
        self._status = task.status
        if task.status is TaskStatus.CANCELLED:
            # There is no result, and servers do not agree on the error.
            return None
        if task.status.ended:
            return await self._result(task, connection)
        if task.status is TaskStatus.INPUT_REQUIRED and (before is not TaskStatus.INPUT_REQUIRED or self._was_lost):
            self._ask()
        return None

    async def stop(self) -> None:
        """Stop waiting for the result."""
        asking, self._asking = self._asking, None
        if asking is not None and not asking.done():
            asking.cancel()
            # Shielded: the SDK tells the server that the result is not waited for any more.
            with anyio.CancelScope(shield=True), suppress(asyncio.CancelledError, Exception):
                await asyncio.wait_for(asking, STOP_TIMEOUT)

    @property
    def _was_lost(self) -> bool:
        """Whether the request for the result ended without a response, so that it has to be sent again."""
        asking = self._asking
        return asking is not None and asking.done() and _was_lost(asking)

    def _ask(self) -> asyncio.Task[Json]:
        """Send the request for the result, unless one is open."""
        if self._asking is None or self._asking.done():
            self._asking = background.start(self._answer(), name="task result", awaited=True)
            self._asking.add_done_callback(self._ended)
        return self._asking

    async def _answer(self) -> Json:
        return await self._wire().result(self._task_id)

    def _ended(self, asking: asyncio.Task[Json]) -> None:
        # The next poll tells how the task has ended.
        if not asking.cancelled():
            self._polls.hurry()

    async def _result(self, task: Task, connection: Connection) -> Json:
        """Return the result of a task that has ended."""
        await self._withdraw_if_forgotten()
        while True:
            asking = self._asking if self._asking and self.has_arrived else self._ask()
            try:
                return _checked(await background.shared(asking), task)
            except ServerError as error:
                if not (error.unanswered or error.not_run):
                    raise
                connection.look_after(error)
            await asyncio.sleep(LOST_PAUSE)
            connection = await self._ready()

    async def _withdraw_if_forgotten(self) -> None:
        """Withdraw the request for the result if its server does not answer it although the task has ended.

        The Python SDK 1 forgets a request that begins to wait for its in-memory store while the task ends.
        """
        if self._asking is not None and not self._asking.done():
            await asyncio.wait([self._asking], timeout=FORGOTTEN_AFTER)
            if not self._asking.done():
                await self.stop()


FORGOTTEN_AFTER = 3.0
"""Seconds from the end of a task until an earlier request for its result is taken to be forgotten."""

STOP_TIMEOUT = 1.0
"""Seconds for telling the server that the result is not waited for any more."""

LOST_PAUSE = 0.25
"""Seconds before the result is asked for again after its request was lost."""


def _checked(result: Json, task: Task) -> Json:
    """Return the result of a tool. Raises MalformedResultError, and TaskOverError if the task failed without one."""
    if task.status is TaskStatus.FAILED and "content" not in result:
        # The Python SDK 1 sends nothing but `_meta`; the reason is in the status message.
        raise task_ended(task)
    protocol.check_tool_result(result)
    return result


def _was_lost(asking: asyncio.Task[Json]) -> bool:
    error = None if asking.cancelled() else asking.exception()
    return isinstance(error, ServerError) and (error.unanswered or error.not_run)


def _says_nothing(error: BaseException | None) -> bool:
    """Return whether an error says nothing of the call: it was lost, or the server does not wait for the end."""
    if not isinstance(error, ServerError):
        return False
    return error.unanswered or error.not_run or error.trouble is Trouble.SIGN_IN or error.code == NOT_COMPLETED


NOT_COMPLETED = -32602
"""The code with which FastMCP 3 answers `tasks/result` while its task works on."""
