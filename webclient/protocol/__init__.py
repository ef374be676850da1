"""MCP sessions, and the only code that touches the SDK: open a session, send calls in it, receive its events.

Promises: no type of the SDK leaves this room; all events of a session are reported to listeners (`SessionEvents`) in
plain data; a server that floods, hangs, lies or dies costs a bounded amount and ends its session with a reason.

Where to read: `session` is the life of one session. `transports` and `negotiation` open it, with `stdio_processes`,
`stdout_lines`, `stdout_messages` and `stderr` for a child, and `http`, `http_bodies`, `http_errors` and
`http_statuses` for a server on the network. `bearer` puts the token of the user's sign-in on each
HTTP request. `bridge`, with `bridge_http`, is the command `stdio`. `tap` sees every message.
`transport_state` and `liveness` know whether the server is there.
`call_request`, `listing`, `argument_values`, `skills` and `notifications` ask it for something; `tasks` asks
for its tasks, which `task_shapes` reads. `server_error` and
`connection_faults` say what went wrong.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from webclient.protocol.calls.task_wire import TaskReport, TaskWire
from webclient.protocol.endpoint import Authorization, Endpoint
from webclient.protocol.messages.limits import ABANDON_TIMEOUT, MOST_SIGN_INS, STOP_TIMEOUT, ServerLimits, TooLargeError
from webclient.protocol.messages.server_error import MalformedResultError, ServerError, Trouble
from webclient.protocol.messages.task_shapes import read_task, related_task, task_handle
from webclient.protocol.resource_updates import Watched, is_same_or_below
from webclient.protocol.session.session_events import (
    CALL,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    TOO_MANY,
    UNKNOWN_METHOD,
    USER_REJECTED,
    HostedTaskEvents,
    LogEvents,
    NoticeEvents,
    RequestEvents,
    RequestRefusedError,
    ServerEvents,
    SessionEvents,
    WorkEvents,
)
from webclient.support import background
from webclient.support.garbage import loading

if TYPE_CHECKING:
    from webclient.protocol.calls.argument_values import read_argument_values
    from webclient.protocol.calls.call_request import pass_notification_on, pass_on, send_call
    from webclient.protocol.calls.skills import get_skill, list_skills, read_directory, read_resource
    from webclient.protocol.calls.tasks import check_tool_result, tasks_of
    from webclient.protocol.session.session import Session
    from webclient.protocol.transports.bridge import bridge

__all__ = [
    "ABANDON_TIMEOUT",
    "CALL",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "MOST_SIGN_INS",
    "STOP_TIMEOUT",
    "TOO_MANY",
    "UNKNOWN_METHOD",
    "USER_REJECTED",
    "Authorization",
    "Endpoint",
    "HostedTaskEvents",
    "LogEvents",
    "MalformedResultError",
    "NoticeEvents",
    "RequestEvents",
    "RequestRefusedError",
    "ServerError",
    "ServerEvents",
    "ServerLimits",
    "Session",
    "SessionEvents",
    "TaskReport",
    "TaskWire",
    "TooLargeError",
    "Trouble",
    "Watched",
    "WorkEvents",
    "bridge",
    "check_tool_result",
    "get_skill",
    "is_same_or_below",
    "list_skills",
    "load_sdk",
    "pass_notification_on",
    "pass_on",
    "read_argument_values",
    "read_directory",
    "read_resource",
    "read_task",
    "related_task",
    "send_call",
    "task_handle",
    "tasks_of",
]

_NEED_SDK = {
    "Session": "session.session",
    "bridge": "transports.bridge",
    "check_tool_result": "calls.tasks",
    "get_skill": "calls.skills",
    "list_skills": "calls.skills",
    "read_argument_values": "calls.argument_values",
    "read_directory": "calls.skills",
    "read_resource": "calls.skills",
    "pass_notification_on": "calls.call_request",
    "pass_on": "calls.call_request",
    "send_call": "calls.call_request",
    "tasks_of": "calls.tasks",
}
"""The names whose modules load the SDK, which takes half a second and 24 MB. They are loaded when first used, so that
the program is ready before; write `protocol.Session`, because `from ... import Session` is a use."""


async def load_sdk() -> None:
    """Load the SDK in a thread, so that pages are served meanwhile; do nothing if it is loaded."""
    await background.shared(asyncio.wrap_future(_loading()))


@cache
def _loading() -> Future[None]:
    return ThreadPoolExecutor(1, "load-sdk").submit(_load)


def _load() -> None:
    with loading():
        for name in _NEED_SDK.values():
            import_module(f"{__name__}.{name}")


def __getattr__(name: str) -> Any:
    if name not in _NEED_SDK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_NEED_SDK[name]}"), name)
