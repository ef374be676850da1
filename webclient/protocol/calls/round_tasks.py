"""The tasks of a session of 2026-07-28: the extension `io.modelcontextprotocol/tasks` (SEP-2663)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mcp.client import ClientSession
from mcp.types import METHOD_NOT_FOUND, CallToolResult, InputRequiredResult, Request, RequestParams

from webclient.domain.model import Json, Task, TaskStatus
from webclient.protocol.calls.task_wire import TaskReport
from webclient.protocol.messages.checked_result import check_shape, prompt_result
from webclient.protocol.messages.server_error import MalformedResultError, ServerError
from webclient.protocol.messages.task_shapes import read_task


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
