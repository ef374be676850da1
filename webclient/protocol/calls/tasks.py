"""The requests on the tasks of a server, in both generations (MCP 2025-11-25, Tasks; SEP-2663).

None of the messages of 2025-11-25 names its task in `_meta`, because their parameters do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import anyio
from mcp import MCPError
from mcp.client import ClientSession
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.types import (
    CONNECTION_CLOSED,
    METHOD_NOT_FOUND,
    CallToolResult,
    CancelTaskRequest,
    CancelTaskRequestParams,
    GetTaskPayloadRequest,
    GetTaskPayloadRequestParams,
    GetTaskRequest,
    GetTaskRequestParams,
    InputRequiredResult,
    ListTasksRequest,
    PaginatedRequestParams,
    Request,
    RequestParams,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.domain.model import Json, Task, TaskStatus
from webclient.protocol.calls.task_wire import TaskReport, TaskWire
from webclient.protocol.messages.checked_result import PATIENCE, check_shape, checked_result, prompt_result
from webclient.protocol.messages.sdk_errors import server_error
from webclient.protocol.messages.server_error import MalformedResultError, ServerError, Trouble
from webclient.protocol.messages.task_calls import naming_tasks
from webclient.protocol.messages.task_shapes import read_task
from webclient.protocol.session.session import Session

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

    async def listen(self, task_id: str, agreed: Callable[[], None]) -> bool:  # noqa: ARG002
        """Return False: a server of 2025-11-25 notifies unasked, or not at all."""
        return False

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


class _Params(RequestParams):
    task_id: str


class _UpdateParams(_Params):
    input_responses: dict[str, Any]


class _GetTask(Request[_Params, Literal["tasks/get"]]):
    # `name_param` becomes the header Mcp-Name, which MUST be the task's id (extension, Streamable HTTP).
    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: _Params


class _CancelTask(Request[_Params, Literal["tasks/cancel"]]):
    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: _Params


class _UpdateTask(Request[_UpdateParams, Literal["tasks/update"]]):
    name_param = "taskId"
    method: Literal["tasks/update"] = "tasks/update"
    params: _UpdateParams


class RoundTasks:
    """Implements `TaskWire` on the open session of `client`."""

    def __init__(self, client: ClientSession) -> None:
        self._client = client

    async def get(self, task_id: str) -> TaskReport:
        return task_report(await prompt_result(self._client, _GetTask(params=_Params(task_id=task_id))))

    async def update(self, task_id: str, answers: Json) -> None:
        await prompt_result(self._client, _UpdateTask(params=_UpdateParams(task_id=task_id, input_responses=answers)))

    async def cancel(self, task_id: str) -> None:
        await prompt_result(self._client, _CancelTask(params=_Params(task_id=task_id)))

    async def listen(self, task_id: str, agreed: Callable[[], None]) -> bool:
        try:
            with naming_tasks([task_id]), anyio.move_on_after(PATIENCE) as waiting:
                async with listen(self._client) as notices:
                    if task_id not in (notices.honored.model_extra or {}).get("taskIds", ()):
                        return False
                    waiting.deadline = math.inf
                    agreed()
                    async for _notice in notices:
                        # The tap has seen them.
                        pass
        except SubscriptionLost:
            return True
        except MCPError as error:
            raise server_error(error) from error
        return not waiting.cancelled_caught

    async def result(self, task_id: str) -> Json:  # noqa: ARG002  (2025-11-25 has it)
        raise _unsupported("tasks/result")

    async def list(self) -> Sequence[Task]:
        raise _unsupported("tasks/list")


def task_report(came: Json) -> TaskReport:
    """Read a handle, or the state of a task, as they came. Raises MalformedResultError.

    Only here they are checked: the SDK knows nothing of the extension.
    """
    task = read_task(came)
    entries: Json = {}
    if task.status is TaskStatus.INPUT_REQUIRED:
        entries = _object(came, "inputRequests") or {}
        # As in a round: "MUST treat each entry as the equivalent stand-alone request".
        check_shape(InputRequiredResult, {"inputRequests": entries})
    return TaskReport(task=task, entries=entries, answer=_answer(task, came))


def _answer(task: Task, came: Json) -> Json | ServerError | None:
    if task.status is TaskStatus.COMPLETED:
        result = _object(came, "result")
        if result is None:
            raise MalformedResultError("result: missing from a completed task")
        # The only method that the extension has so far.
        check_shape(CallToolResult, result)
        return result
    if task.status is TaskStatus.FAILED and (failure := _object(came, "error")):
        code, message = failure.get("code"), failure.get("message")
        if not isinstance(code, int) or not isinstance(message, str):
            raise MalformedResultError("error: not an object with a code and a message")
        return ServerError(code, message, failure.get("data"))
    return None


def _object(came: Json, name: str) -> Json | None:
    value = came.get(name)
    if value is not None and not isinstance(value, dict):
        raise MalformedResultError(f"{name}: not an object")
    return value


def _unsupported(method: str) -> ServerError:
    return ServerError(METHOD_NOT_FOUND, f"{method} is not a method of 2026-07-28")


def tasks_of(session: Session) -> TaskWire:
    """Return the requests on tasks in the session. Raises ServerError if it has ended."""
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", trouble=Trouble.NOT_SENT)
    if session.client.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return RoundTasks(session.client)
    return PushTasks(session.client)
