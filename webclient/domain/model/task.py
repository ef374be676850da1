"""A task: a call that goes on at its server by itself; the same in both generations of MCP."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from webclient.domain.model.common import now


class TaskStatus(StrEnum):
    """Where a task stands at its server (MCP 2025-11-25, Tasks, and the extension of 2026-07-28)."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether the task never changes again."""
        return self not in (TaskStatus.WORKING, TaskStatus.INPUT_REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task, as its server described it last.

    `created_at` and `updated_at` are by the clock of the server, and None if it said nothing that can be read;
    `received_at` is when we got the task, by our clock. `ttl` is how long the server keeps the task after it was
    created, in milliseconds, None for ever; `poll_interval` is how often it wants to be asked, in milliseconds, None
    if it did not say.
    """

    id: str
    status: TaskStatus = TaskStatus.WORKING
    status_message: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    ttl: int | None = None
    poll_interval: int | None = None
    received_at: datetime = field(default_factory=now)

    @property
    def expires_at(self) -> datetime | None:
        """When its time to live ends, by our clock; None if it is not limited."""
        if self.ttl is None:
            return None
        try:
            return self.received_at + timedelta(milliseconds=self.ttl)
        except OverflowError:
            return None
