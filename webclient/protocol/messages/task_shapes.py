"""Reads what a server tells of a task: MCP 2025-11-25 and the extension of 2026-07-28 spell it differently.

The statuses and the id are checked, because a task is polled by them; everything else is optional, as servers leave
out also what the specification requires.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite

from webclient.content.visible_text import shortened
from webclient.domain.model import Json, Task, TaskStatus
from webclient.protocol.messages.server_error import MalformedResultError

LONGEST_ID = 1000
"""Characters of a task's id; a longer one is refused, because it is stored and sent with each poll."""

LONGEST_MESSAGE = 1000
"""Characters that are kept of a status message."""

MOST_MILLISECONDS = 2**53
"""A longer time to live, or between two polls, is read as none: no clock can show it."""

TASK_NOTICES = ("notifications/tasks/status", "notifications/tasks")
"""The notifications that a task has changed, of 2025-11-25 and of the extension of 2026-07-28."""

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""The key in `_meta` that names the task of a message (MCP 2025-11-25, Tasks, Associating Task-Related Messages)."""


def task_handle(result: Json) -> Task | None:
    """Return the task that a server created in place of a result, or None. Raises MalformedResultError.

    2025-11-25 has it as `task` in the result, the extension of 2026-07-28 as the result, with a `resultType`.
    """
    if result.get("resultType") == "task":
        return read_task(result)
    return read_task(result["task"]) if "task" in result and "content" not in result else None


def read_task(shape: object) -> Task:
    """Return the task in a message of either generation. Raises MalformedResultError."""
    if not isinstance(shape, dict):
        raise MalformedResultError("task: it is not an object")
    message = shape.get("statusMessage")
    return Task(
        id=_id_in(shape),
        status=_status_in(shape),
        status_message=shortened(message, LONGEST_MESSAGE) if isinstance(message, str) and message else None,
        created_at=_moment(shape.get("createdAt")),
        updated_at=_moment(shape.get("lastUpdatedAt")),
        ttl=_milliseconds(shape.get("ttl", shape.get("ttlMs"))),
        poll_interval=_milliseconds(shape.get("pollInterval", shape.get("pollIntervalMs"))),
    )


def related_task(params: Json) -> str | None:
    """Return the id of the task to which a server's request belongs, if named."""
    meta = params.get("_meta")
    related = meta.get(RELATED_TASK) if isinstance(meta, dict) else None
    task_id = related.get("taskId") if isinstance(related, dict) else None
    return task_id if isinstance(task_id, str) and 0 < len(task_id) <= LONGEST_ID else None


def name_task(result: Json, task_id: str) -> None:
    """Name the task of a server's request in its result, as every such message MUST."""
    meta = result.get("_meta")
    result["_meta"] = {**(meta if isinstance(meta, dict) else {}), RELATED_TASK: {"taskId": task_id}}


def _id_in(shape: Json) -> str:
    task_id = shape.get("taskId")
    if not isinstance(task_id, str) or not 0 < len(task_id) <= LONGEST_ID:
        raise MalformedResultError("taskId: it is not the id of a task")
    return task_id


def _status_in(shape: Json) -> TaskStatus:
    try:
        return TaskStatus(str(shape.get("status")))
    except ValueError as error:
        raise MalformedResultError("status: it is not a status of a task") from error


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _milliseconds(value: object) -> int | None:
    """Return a number of milliseconds; None for no limit, and for anything that is not such a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return int(value) if 0 <= value < MOST_MILLISECONDS else None
