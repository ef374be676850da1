"""A task as the JSON in the row of its call, and back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from webclient.domain.model import Json, Task, TaskStatus

_MOMENTS = ("created_at", "updated_at", "received_at")


def task_json(task: Task) -> Json:
    """Return the task as it is stored."""
    return asdict(task) | {name: (moment := getattr(task, name)) and moment.isoformat() for name in _MOMENTS}


def task_of(stored: Json) -> Task:
    """Return the task that `task_json` has stored."""
    moments = {name: stored[name] and datetime.fromisoformat(stored[name]) for name in _MOMENTS}
    return Task(**{**stored, **moments, "status": TaskStatus(stored["status"])})
