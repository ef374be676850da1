"""Input requests as tasks that we host: what their server sees of them, as pure functions of the request.

There is no second truth: a task's status and result are those of its input request (MCP 2025-11-25, Tasks).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from webclient.domain.model import FETCH_TIME, InputRequest, Json, RequestState, now
from webclient.inbox.answers import result_of
from webclient.inbox.policy import rejection

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""The key in `_meta` that names a task."""

SHORTEST_LIFE = timedelta(days=7)
"""A task lives at least this long, if its server asks for less: the person may answer tomorrow, or after a weekend."""

LONGEST_LIFE = timedelta(days=30)
"""A task lives at most this long, and as long if its server asks for nothing (Tasks: SHOULD have a maximum)."""

POLL_INTERVALS = {
    timedelta(minutes=1): timedelta(seconds=1),
    timedelta(minutes=10): timedelta(seconds=5),
    timedelta.max: timedelta(seconds=15),
}
"""The suggested pauses between two polls, each up to an age of the task: after an hour, seconds matter little."""

WAITS = "A person was asked and has not answered yet."
"""The status message of a task; it is for servers, so it is not translated."""


def new_task_id() -> str:
    """Return an unguessable id: 192 random bits (Tasks, Task Isolation and Access Control: MUST)."""
    return token_urlsafe(24)


def time_to_live(request: InputRequest) -> timedelta:
    """Return how long the person may take for the request of a task: what its server asks for, within limits."""
    task = request.params.get("task")
    wanted = task.get("ttl") if isinstance(task, dict) else None
    if not isinstance(wanted, int | float):
        return LONGEST_LIFE
    # Compared as a number: a server may ask for more than a `timedelta` holds.
    return timedelta(milliseconds=min(max(wanted, _milliseconds(SHORTEST_LIFE)), _milliseconds(LONGEST_LIFE)))


def lives_until(request: InputRequest) -> datetime:
    """Return the end of the task: after it, its server no longer finds it."""
    return (request.expires_at or request.created_at) + FETCH_TIME


def task_of(request: InputRequest) -> Json:
    """Return the task as its server gets it (Tasks, Task)."""
    status = status_of(request)
    messages = {"working": WAITS, "failed": rejection(request)}
    return {
        "taskId": request.ids.hosted_task_id,
        "status": status,
        **({"statusMessage": messages[status]} if status in messages else {}),
        "createdAt": _written(request.created_at),
        "lastUpdatedAt": _written(request.settled_at or request.created_at),
        "ttl": _milliseconds(lives_until(request) - request.created_at),
        "pollInterval": _milliseconds(_poll_interval(request)),
    }


def status_of(request: InputRequest) -> str:
    """Return the status of the task.

    It is `working` while the person thinks: `input_required` would say that the *server* has to do something.
    """
    if request.pending:
        return "working"
    if request.state is RequestState.WITHDRAWN:
        return "cancelled"
    return "failed" if result_of(request) is None else "completed"


def outcome_of(request: InputRequest) -> Json | None:
    """Return the result of a task that is over: that of the request itself, with the id of the task.

    None if it has failed. A result MUST name the task (Tasks, Associating Task-Related Messages).
    """
    result = result_of(request)
    if result is None:
        return None
    return result | {"_meta": (result.get("_meta") or {}) | {RELATED_TASK: {"taskId": request.ids.hosted_task_id}}}


def _poll_interval(request: InputRequest) -> timedelta:
    age = now() - request.created_at
    return next(pause for limit, pause in POLL_INTERVALS.items() if age < limit)


def _milliseconds(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
