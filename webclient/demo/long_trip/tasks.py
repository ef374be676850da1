"""The extension `io.modelcontextprotocol/tasks` of 2026-07-28, by hand: the SDK has no runtime for tasks.

A `tools/call` of `plan_trip` returns a handle at once; `tasks/get` says where the work stands, `tasks/update` takes
answers, and `tasks/cancel` ends it. A client that has not declared the extension gets the error -32021.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams, TextContent

from webclient.demo.long_trip.plan import Json, Standing, fits, stands
from webclient.demo.long_trip.shelf import Stored, TaskShelf

TOOL = "plan_trip"
POLL_INTERVAL = 1000
"""How often a client should ask, in milliseconds."""

VERSIONS = frozenset({"2026-07-28"})
"""The protocol versions that have the extension."""


TOO_OLD = "A trip is planned as a task, which needs MCP 2026-07-28 on this connection."


class TaskParams(RequestParams):
    """The parameters of `tasks/get` and `tasks/cancel`."""

    task_id: str


class UpdateParams(TaskParams):
    """The parameters of `tasks/update`: `ElicitResult`s by the keys of the questions."""

    input_responses: dict[str, dict[str, Any]]


class TasksExtension(Extension):
    """Runs `plan_trip` as a task; `pace` makes each step longer (above 1) or shorter."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, shelf: TaskShelf, *, pace: float = 1) -> None:
        self._shelf = shelf
        self._pace = pace

    def methods(self) -> Sequence[MethodBinding]:
        """Return the three methods of the extension."""
        return [
            MethodBinding("tasks/get", TaskParams, self._get, VERSIONS),
            MethodBinding("tasks/update", UpdateParams, self._update, VERSIONS),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, VERSIONS),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Return the handle of a new task in place of the tool's result."""
        if params.name != TOOL:
            return await call_next(ctx)
        if ctx.protocol_version not in VERSIONS:
            # Even if the client names it: the tasks of 2025-11-25 are others.
            return CallToolResult(content=[TextContent(type="text", text=TOO_OLD)], is_error=True)
        require_client_extension(ctx, self.identifier)
        checked = await call_next(ctx)
        if isinstance(checked, CallToolResult) and checked.is_error:
            return checked
        task = self._shelf.begin(str((params.arguments or {})["destination"]), time.time())
        return {"resultType": "task", **self._state(task)}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        return {"resultType": "complete", **self._state(self._find(ctx, params))}

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: UpdateParams) -> HandlerResult:
        task = self._find(ctx, params)
        # What is not asked any more is acknowledged and ignored.
        open_now = {} if task.cancelled else self._stands(task).asks
        answers = {key: response for key, response in params.input_responses.items() if key in open_now}
        if wrong := [key for key, response in answers.items() if not fits(key, response)]:
            raise MCPError(INVALID_PARAMS, f"The answer to {wrong[0]!r} does not match the requested schema")
        for key, response in answers.items():
            self._shelf.answer(task.id, key, response, time.time())
        return {}

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        task = self._find(ctx, params)
        if self._stands(task).status != "completed":
            self._shelf.cancel(task.id, time.time())
        return {}

    def _find(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> Stored:
        require_client_extension(ctx, self.identifier)
        task = self._shelf.get(params.task_id, time.time())
        if task is None:
            raise MCPError(code=INVALID_PARAMS, message="Unknown or expired task")
        return task

    def _stands(self, task: Stored) -> Standing:
        return stands(task.destination, task.begun, task.answers, time.time(), self._pace)

    def _state(self, task: Stored) -> Json:
        lasting = {
            "taskId": task.id,
            "createdAt": _moment(task.begun),
            "ttlMs": int(self._shelf.seconds * 1000),
            "pollIntervalMs": int(POLL_INTERVAL * min(self._pace, 1)) or 1,
        }
        if task.cancelled is not None:
            return {**lasting, "status": "cancelled", "lastUpdatedAt": _moment(task.cancelled)}
        now = self._stands(task)
        state: Json = {**lasting, "status": now.status, "lastUpdatedAt": _moment(now.since)}
        if now.message:
            state["statusMessage"] = now.message
        if now.asks:
            state["inputRequests"] = dict(now.asks)
        if now.result is not None:
            state["result"] = now.result
        return state


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
