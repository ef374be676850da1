"""The types of tasks in the API's JSON; those of calls and all else are in `shapes`."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from webclient.domain.model import TaskStatus


class TaskShape(TypedDict):
    """A task as which a call runs at its server, as the server described it last.

    `created_at` and `updated_at` are by the server's clock, `received_at` and `expires_at` by ours; without
    `expires_at` the server keeps the task for ever. `ttl` and `poll_interval` are milliseconds.
    """

    id: str
    status: TaskStatus
    status_message: NotRequired[str]
    created_at: NotRequired[str]
    updated_at: NotRequired[str]
    received_at: str
    ttl: NotRequired[int]
    expires_at: NotRequired[str]
    poll_interval: NotRequired[int]


class ListedTaskShape(TaskShape):
    """A task that a server lists; `call_id` is the newest call here that follows it or did."""

    call_id: NotRequired[str]


class TasksShape(TypedDict):
    """The tasks of a server."""

    tasks: list[ListedTaskShape]
