"""The tasks of a server of 2025-11-25: what they are doing, their results, and their end (MCP 2025-11-25, Tasks).

None of these messages names its task in `_meta`, because their parameters do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp.client import ClientSession
from mcp.types import (
    CallToolResult,
    CancelTaskRequest,
    CancelTaskRequestParams,
    GetTaskPayloadRequest,
    GetTaskPayloadRequestParams,
    GetTaskRequest,
    GetTaskRequestParams,
    ListTasksRequest,
    PaginatedRequestParams,
)

from webclient.domain.model import Json, Task
from webclient.protocol.calls.task_wire import TaskReport
from webclient.protocol.messages.checked_result import check_shape, checked_result, prompt_result
from webclient.protocol.messages.server_error import MalformedResultError
from webclient.protocol.messages.task_shapes import read_task

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
        shape = await prompt_result(self.client, GetTaskRequest(params=GetTaskRequestParams(task_id=task_id)))
        return TaskReport(task=read_task(shape))

    async def result(self, task_id: str) -> Json:
        """Wait for the end of the task, and return the result as it came: that of the call, as without a task.

        The server delivers the questions of the task on the stream of this request. Raises ServerError also with the
        error of the call.
        """
        params = GetTaskPayloadRequestParams(task_id=task_id)
        return await checked_result(self.client, GetTaskPayloadRequest(params=params))

    async def update(self, task_id: str, answers: Json) -> None:
        """Raise RuntimeError: an answer is the response to the question that the server has pushed."""
        raise RuntimeError(f"2025-11-25 has no updates of tasks: {task_id}, {len(answers)} answers")

    async def cancel(self, task_id: str) -> Task | None:
        """Cancel the task, and return it as it is then."""
        request = CancelTaskRequest(params=CancelTaskRequestParams(task_id=task_id))
        return read_task(await prompt_result(self.client, request))

    async def list(self) -> Sequence[Task]:
        """Return the tasks that the server has for us, `MOST_TASKS` at most.

        Entries that cannot be read are left out.
        """
        found: dict[str, Task] = {}
        cursor: str | None = None
        for _page in range(MAX_PAGES):
            page = await prompt_result(self.client, ListTasksRequest(params=PaginatedRequestParams(cursor=cursor)))
            listed = page.get("tasks")
            for shape in listed if isinstance(listed, list) else ():
                if task := _readable(shape):
                    found[task.id] = task
            following = page.get("nextCursor")
            if not isinstance(following, str) or following in ("", cursor) or len(found) >= MOST_TASKS:
                break
            cursor = following
        return list(found.values())[:MOST_TASKS]


def check_tool_result(result: Json) -> None:
    """Raise MalformedResultError unless this is a tool's result; the SDK does not check `tasks/result`."""
    check_shape(CallToolResult, result)


def _readable(shape: object) -> Task | None:
    try:
        return read_task(shape)
    except MalformedResultError:
        return None
