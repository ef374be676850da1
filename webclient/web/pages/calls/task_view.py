"""The task of a call as pages show it: where it stands, when it is looked at next, and how long its server keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, Task, TaskStatus, now

SOON = timedelta(minutes=15)
"""The longest time before its end at which a page warns that the server forgets a task."""

LAST_PART = 4
"""A page warns in the last quarter of a short time to live."""

SHORTEST, LONGEST = 1_000, 60_000
"""Limits of the time between two checks that a page counts down, in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task; `next_check` is when its server is asked next, None if it is not asked now."""

    task: Task
    is_open: bool
    next_check: datetime | None = None

    @property
    def expires_at(self) -> datetime | None:
        """When the server forgets the task, as far as it matters; None if it is not limited or has ended."""
        return self.task.expires_at if self.is_open and not self.task.status.ended else None

    @property
    def warns_from(self) -> datetime | None:
        """From when on a page warns that the server is about to forget the task."""
        if self.expires_at is None or self.task.ttl is None:
            return None
        return self.expires_at - min(SOON, timedelta(milliseconds=self.task.ttl) / LAST_PART)

    @property
    def warns(self) -> bool:
        """Whether the page warns now."""
        return self.warns_from is not None and self.warns_from <= now()

    @property
    def every_ms(self) -> int:
        """About how often the server is asked, in milliseconds."""
        left = max(self.next_check - now(), timedelta()) if self.next_check else timedelta()
        return max(SHORTEST, min(LONGEST, max(self.task.poll_interval or 0, int(left / timedelta(milliseconds=1)))))


def task_view_of(call: Call, next_check: datetime | None = None) -> TaskView | None:
    """Return the view of the call's task, None if it has none."""
    if call.task is None:
        return None
    is_open = not call.state.ended
    return TaskView(task=call.task, is_open=is_open, next_check=next_check if is_open else None)


def task_words(status: TaskStatus) -> str:
    """Return the status of a task in words."""
    return {
        TaskStatus.WORKING: _("Working"),
        TaskStatus.INPUT_REQUIRED: _("Waits for an answer"),
        TaskStatus.COMPLETED: _("Completed"),
        TaskStatus.FAILED: _("Failed"),
        TaskStatus.CANCELLED: _("Cancelled"),
    }[status]
