"""The tasks of a server of 2025-11-25: what they are doing, their results, and their end (MCP 2025-11-25, Tasks).

None of these messages names its task in `_meta`, because their parameters do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolResult,
    CancelTaskRequest,
    CancelTaskRequestParams,
    GetTaskPayloadRequest,
    GetTaskPayloadRequestParams,
    GetTaskRequest,
    GetTaskRequestParams,
    ListTasksRequest,
    PaginatedRequestParams,
    Request,
)
from pydantic import ValidationError

from webclient.model import Json, Task
from webclient.protocol.raw_request import send
from webclient.protocol.sdk_errors import server_error
from webclient.protocol.server_error import MalformedResultError, ServerError, Trouble
from webclient.protocol.task_shapes import read_task
from webclient.protocol.task_wire import TaskReport

PATIENCE = 30.0
"""Seconds that a server has for everything but the result of a task, which it holds back until the task ends."""

MAX_PAGES = 100
"""Pages that are read of a list of tasks, which may be endless."""

MOST_TASKS = 1000
"""Tasks that are read of one list."""


@dataclass(frozen=True, slots=True)
class PushTasks:
    """The tasks of one session of 2025-11-25. All methods raise ServerError and MalformedResultError."""

    client: ClientSession

    async def get(self, task_id: str) -> TaskReport:
        """Return what the task is doing; its result and its questions come in other ways."""
        shape = await self._soon(GetTaskRequest(params=GetTaskRequestParams(task_id=task_id)))
        return TaskReport(task=read_task(shape))

    async def result(self, task_id: str) -> Json:
        """Wait for the end of the task, and return the result as it came: that of the call, as without a task.

        The server delivers the questions of the task on the stream of this request. Raises ServerError also with the
        error of the call.
        """
        return await self._sent(GetTaskPayloadRequest(params=GetTaskPayloadRequestParams(task_id=task_id)))

    async def update(self, task_id: str, answers: Json) -> None:
        """Raise RuntimeError: an answer is the response to the question that the server has pushed."""
        raise RuntimeError(f"2025-11-25 has no updates of tasks: {task_id}, {len(answers)} answers")

    async def cancel(self, task_id: str) -> Task | None:
        """Cancel the task, and return it as it is then."""
        return read_task(await self._soon(CancelTaskRequest(params=CancelTaskRequestParams(task_id=task_id))))

    async def list(self) -> Sequence[Task]:
        """Return the tasks that the server has for us, `MOST_TASKS` at most.

        Entries that cannot be read are left out.
        """
        found: dict[str, Task] = {}
        cursor: str | None = None
        for _page in range(MAX_PAGES):
            page = await self._soon(ListTasksRequest(params=PaginatedRequestParams(cursor=cursor)))
            listed = page.get("tasks")
            for shape in listed if isinstance(listed, list) else ():
                if task := _readable(shape):
                    found[task.id] = task
            following = page.get("nextCursor")
            if not isinstance(following, str) or following in ("", cursor) or len(found) >= MOST_TASKS:
                break
            cursor = following
        return list(found.values())[:MOST_TASKS]

    async def _soon(self, request: Request[Any, Any]) -> Json:
        """Send a request that every server answers at once."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._sent(request)
        except TimeoutError as error:
            message = f"The server did not answer {request.method}"
            raise ServerError(CONNECTION_CLOSED, message, trouble=Trouble.CLOSED) from error

    async def _sent(self, request: Request[Any, Any]) -> Json:
        try:
            return await send(self.client, request)
        except MCPError as error:
            raise server_error(error) from error
        except ValidationError as error:
            raise MalformedResultError(f"{request.method}: {error.errors()[0]['msg']}") from error


def check_tool_result(result: Json) -> None:
    """Raise MalformedResultError unless this is a tool's result; the SDK does not check `tasks/result`."""
    try:
        CallToolResult.model_validate(result, by_name=False)
    except ValidationError as error:
        first = error.errors()[0]
        raise MalformedResultError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _readable(shape: object) -> Task | None:
    try:
        return read_task(shape)
    except MalformedResultError:
        return None
