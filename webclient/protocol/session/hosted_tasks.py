"""The tasks that we host for the server of a session (MCP 2025-11-25, Tasks): its requests about them, and our notices.

The SDK knows no requests about tasks, so the tap hands them over here; the answers come from its listener.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from webclient.domain.model import Json, ServerRequest
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.messages.capabilities import PERSON_REQUESTS
from webclient.protocol.session.session_events import INTERNAL_ERROR, HostedTaskEvents, RequestRefusedError
from webclient.support import background

TASK_METHODS = ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel")
"""The requests about tasks."""

MOST_SAVED = 100
"""Requests about tasks that the next connection answers; a server polls one task after the other."""

Send = Callable[[SessionMessage], Awaitable[None]]

logger = logging.getLogger(__name__)


class HostedTasks:
    """Answers the requests of one session about tasks, and notifies its server of their ends.

    `can_host` is set when the session has the version and the capabilities for it. `unanswered` are its requests that
    have no answer; a later connection of the session answers them.
    """

    def __init__(self, events: HostedTaskEvents, endpoint: Endpoint) -> None:
        self.can_host = False
        self._events = events
        self._endpoint = endpoint
        self.unanswered: list[ServerRequest] = []
        self._answering: dict[str, asyncio.Task[None]] = {}
        self._watching: dict[str, asyncio.Task[None]] = {}

    def task_wanted(self, request: ServerRequest) -> Json | None:
        """Return how the server wants the request as a task; None if it does not, or may not.

        Without that capability `task` MUST be ignored (Tasks, Task Support and Handling).
        """
        task = request.params.get("task")
        wanted = self.can_host and request.method in PERSON_REQUESTS
        return task if wanted and isinstance(task, dict) else None

    def answer(
        self, request: ServerRequest, context: Context, send: Send, first: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Begin to answer a request about a task, after what is to be done `first`.

        `context` is that in which it came.
        """
        self.unanswered.append(request)
        work = self._answer(request.wire_id or 0, request, send, first)
        self._answering[request.id] = task = background.start(work, name="task request", context=context)
        task.add_done_callback(lambda _done: self._answering.pop(request.id, None))

    def answers(self, method: str) -> bool:
        """Return whether a request is one about the tasks that we host."""
        return self.can_host and method in TASK_METHODS

    def missed(self, message: JSONRPCRequest) -> None:
        """Note a request about a task that came too late for this connection."""
        if self.answers(message.method) and len(self.unanswered) < MOST_SAVED:
            params = dict(message.params or {})
            self.unanswered.append(ServerRequest(method=message.method, params=params, wire_id=message.id))

    def withdraw(self, request: ServerRequest) -> None:
        """Stop answering a request that the server has withdrawn; its task goes on."""
        self.unanswered = [each for each in self.unanswered if each is not request]
        if task := self._answering.get(request.id):
            task.cancel()

    def watch(self, task: Json, send: Send) -> None:
        """Notify the server of the end of a task, once.

        `task` is the task as its server just got it (Tasks, Task Status Notification: MAY).
        """
        task_id, status = task.get("taskId"), task.get("status")
        if isinstance(task_id, str) and status == "working" and task_id not in self._watching:
            self._watching[task_id] = watching = background.start(
                self._notify(task_id, send), name="task status", context=Context()
            )
            watching.add_done_callback(lambda _done: self._watching.pop(task_id, None))

    async def close(self) -> None:
        """Stop answering and notifying."""
        running = [*self._answering.values(), *self._watching.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _answer(
        self, request_id: RequestId, request: ServerRequest, send: Send, first: Callable[[], Awaitable[None]] | None
    ) -> None:
        message: JSONRPCMessage
        try:
            if first:
                await first()
            result = await self._events.task_requested(self._endpoint, request)
            message = JSONRPCResponse(jsonrpc="2.0", id=request_id, result=result)
            if request.method == "tasks/get":
                self.watch(result, send)
        except RequestRefusedError as refused:
            message = _error(request_id, refused.code, str(refused))
        except Exception:
            logger.exception("A request about a task failed")
            message = _error(request_id, INTERNAL_ERROR, "The task could not be read.")
        self.unanswered = [each for each in self.unanswered if each is not request]
        await _unless_closed(send(SessionMessage(message)))

    async def _notify(self, task_id: str, send: Send) -> None:
        with suppress(RequestRefusedError):
            task = await self._events.task_ended(self._endpoint, task_id)
            notice = JSONRPCNotification(jsonrpc="2.0", method="notifications/tasks/status", params=task)
            await _unless_closed(send(SessionMessage(notice)))


async def _unless_closed(sending: Awaitable[None]) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        await sending


def _error(request_id: RequestId, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
