"""Calls of agents as tasks, as their agents see them: pure functions of the call.

A task's status and result are those of its call. In 2025-11-25 the agent asks for the task, in 2026-07-28 it declares
the extension, and gets one when a person is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from webclient.domain.model import Call, CallState, Era, Json, now
from webclient.gateway.hop import CAPABILITIES, TASKS, back
from webclient.gateway.outcomes import outcome
from webclient.protocol import ServerError

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""The key in `_meta` that names a task."""

CAPABILITY: Json = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
"""The capability of a server of 2025-11-25 with tasks."""

SHORTEST_LIFE, USUAL_LIFE, LONGEST_LIFE = timedelta(hours=1), timedelta(days=1), timedelta(days=7)

POLL_INTERVALS = {
    timedelta(seconds=10): timedelta(seconds=0.5),
    timedelta(minutes=1): timedelta(seconds=1),
    timedelta(minutes=10): timedelta(seconds=5),
    timedelta.max: timedelta(seconds=15),
}
"""The suggested pauses between two polls, each up to an age of the task: most calls end at once, people take longer."""

WAITS = "A person is being asked, and has not answered yet."
"""The status message while a person is asked; it is for models, so it is not translated."""


def seconds_wanted(params: Json, version: str) -> int:
    """Return how long an agent gets the task that it asks for with its call; 0 if it does not ask, or cannot."""
    task = params.get("task")
    if version != Era.PUSH or not isinstance(task, dict):
        return 0
    ttl = task.get("ttl")
    if not isinstance(ttl, int | float) or isinstance(ttl, bool) or ttl != ttl:  # noqa: PLR0124  (not a number)
        return int(USUAL_LIFE.total_seconds())
    # Compared as it came: an agent may ask for more than a `timedelta`, or a float, holds.
    return int(min(max(ttl, _milliseconds(SHORTEST_LIFE)), _milliseconds(LONGEST_LIFE)) / 1000)


def takes_tasks(params: Mapping[str, Any] | None) -> bool:
    """Return whether a request of 2026-07-28 declares that its agent knows tasks."""
    meta = (params or {}).get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, Mapping) else None
    extensions = declared.get("extensions") if isinstance(declared, Mapping) else None
    return isinstance(extensions, Mapping) and isinstance(extensions.get(TASKS), Mapping)


def with_tasks(capabilities: Json, version: str) -> Json:
    """Return the capabilities that an agent of this version sees, tasks included."""
    if version == Era.PUSH:
        return capabilities | {"tasks": CAPABILITY}
    if version == Era.ROUNDS:
        return capabilities | {"extensions": {**capabilities.get("extensions", {}), TASKS: {}}}
    return capabilities


def catalog_for(tools: Sequence[Json], version: str) -> Sequence[Json]:
    """Return tools as an agent sees them: in 2025-11-25 each call may be a task, and none must."""
    return [_with_support(tool) for tool in tools] if version == Era.PUSH else tools


def _with_support(tool: Json) -> Json:
    execution = tool.get("execution")
    return tool | {"execution": {**(execution if isinstance(execution, dict) else {}), "taskSupport": "optional"}}


def lives_until(call: Call) -> datetime:
    """Return the end of the task: after it, its agent no longer finds it. One that is not a task ended at its start."""
    return call.created_at + timedelta(seconds=call.agent.task_seconds if call.agent else 0)


def status_of(call: Call, *, modern: bool) -> str:
    """Return the status of the task.

    It is `working` while a person thinks: `input_required` would say that the agent has to do something.
    """
    if not call.state.ended:
        return "working"
    if call.state is CallState.CANCELLED:
        return "cancelled"
    if not modern:
        return "completed" if call.state is CallState.DONE and not call.tool_failed else "failed"
    try:
        outcome(call)
    except ServerError:
        return "failed"
    return "completed"


def task_of(call: Call, *, modern: bool) -> Json:
    """Return the task without what it has led to."""
    message = WAITS if call.state is CallState.INPUT_REQUIRED else ""
    suffix = "Ms" if modern else ""
    return {
        "taskId": call.id,
        "status": status_of(call, modern=modern),
        **({"statusMessage": message} if message else {}),
        "createdAt": _written(call.created_at),
        "lastUpdatedAt": _written(call.updated_at),
        f"ttl{suffix}": _milliseconds(lives_until(call) - call.created_at),
        f"pollInterval{suffix}": _milliseconds(_poll_interval(call)),
    }


def whole_task_of(call: Call) -> Json:
    """Return a task of 2026-07-28 with its result, or its error."""
    task = task_of(call, modern=True)
    if task["status"] in ("working", "cancelled"):
        return task
    try:
        return task | {"result": back("tools/call", outcome(call), modern=True)}
    except ServerError as error:
        data = {} if error.data is None else {"data": error.data}
        return task | {"error": {"code": error.code, "message": error.message, **data}}


def result_of(call: Call) -> Json:
    """Return what a call would have given that is a task of 2025-11-25. Raises ServerError with the server's error.

    It MUST name the task (Tasks, Associating Task-Related Messages).
    """
    result = outcome(call)
    meta = result.get("_meta")
    return result | {"_meta": {**(meta if isinstance(meta, dict) else {}), RELATED_TASK: {"taskId": call.id}}}


def _poll_interval(call: Call) -> timedelta:
    age = now() - call.created_at
    return next(pause for limit, pause in POLL_INTERVALS.items() if age < limit)


def _milliseconds(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
