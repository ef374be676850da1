"""How a task ends that gives its call neither a result nor an error of the server."""

from __future__ import annotations

from webclient.content.visible_text import shortened
from webclient.domain.model import CallState, Json, Reason, ReasonCode, Task, TaskStatus, now
from webclient.protocol import INTERNAL_ERROR, ServerError

INVALID_PARAMS = -32602
"""The code for a task that the server does not know, or no longer (MCP 2025-11-25, Tasks, Error Handling)."""

QUOTED = 500
"""Characters of a server's words that a reason quotes."""


class TaskOverError(Exception):
    """The call ends with its task, for a reason of ours; `said` is the server's error, if it sent one.

    `cancelled`: the server says that the task was cancelled. `forgotten`: the server no longer knows it.
    """

    def __init__(
        self, reason: Reason, *, cancelled: bool = False, forgotten: bool = False, said: Json | None = None
    ) -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.cancelled = cancelled
        self.forgotten = forgotten
        self.said = said or {}

    @property
    def state(self) -> CallState:
        """The state in which the call ends."""
        return CallState.CANCELLED if self.cancelled else CallState.FAILED


def task_ended(task: Task) -> TaskOverError:
    """Return the end of a call whose task was cancelled, or failed without an error."""
    cancelled = task.status is TaskStatus.CANCELLED
    if said := task.status_message:
        code = ReasonCode.TASK_CANCELLED_SAYING if cancelled else ReasonCode.TASK_FAILED_SAYING
        return TaskOverError(Reason.of(code, said=shortened(said, QUOTED)), cancelled=cancelled)
    return TaskOverError(
        Reason(ReasonCode.TASK_CANCELLED if cancelled else ReasonCode.TASK_FAILED), cancelled=cancelled
    )


def is_task_unknown(error: ServerError) -> bool:
    """Return whether the server does not know the task; an example of the TypeScript SDK has another code for it."""
    return error.code == INVALID_PARAMS or (error.code == INTERNAL_ERROR and "not found" in error.message.lower())


def task_gone(task: Task, error: ServerError) -> TaskOverError:
    """Return the end of a call whose task expired at its server, or was forgotten."""
    # By our own clock since the handle came: that of the server may be wrong.
    expired = task.ttl is not None and task.expires_at is not None and task.expires_at <= now()
    reason = (
        Reason.of(ReasonCode.TASK_EXPIRED, duration=(task.ttl or 0) / 1000)
        if expired
        else Reason(ReasonCode.TASK_UNKNOWN)
    )
    return TaskOverError(reason, forgotten=True, said=error.as_json)
