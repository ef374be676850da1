"""A `tools/call` that a server of 2025-11-25 runs as a task: what the SDK needs to let its response through.

The SDK expects the result of a tool, and refuses the handle of a task because it has no `content`. It also forgets the
progress token, which stays the same for the whole life of the task (MCP 2025-11-25, Tasks, Task Progress).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest, RequestId

from webclient.domain.model import Json

OnSent = Callable[[RequestId], None]
"""Called with the JSON-RPC id of a call, which is also its progress token."""

_ON_SENT: ContextVar[OnSent | None] = ContextVar("on_sent", default=None)


_TASK_IDS: ContextVar[Sequence[str]] = ContextVar("task_ids", default=())


@contextmanager
def telling_id(on_sent: OnSent | None) -> Iterator[None]:
    """Call `on_sent` with the id of the request that the block sends."""
    before = _ON_SENT.set(on_sent)
    try:
        yield
    finally:
        _ON_SENT.reset(before)


@contextmanager
def naming_tasks(task_ids: Sequence[str]) -> Iterator[None]:
    """Listen for these tasks in a `subscriptions/listen` that the block sends.

    The SDK has no place for them in its filter.
    """
    before = _TASK_IDS.set(task_ids)
    try:
        yield
    finally:
        _TASK_IDS.reset(before)


def with_task_ids(item: SessionMessage) -> SessionMessage:
    """Return a message as it is sent in this context (extension Tasks, Subscriptions: `taskIds`)."""
    message, task_ids = item.message, _TASK_IDS.get()
    if not task_ids or not isinstance(message, JSONRPCRequest) or message.method != "subscriptions/listen":
        return item
    params = message.params or {}
    wanted = {**params.get("notifications", {}), "taskIds": list(task_ids)}
    return replace(item, message=message.model_copy(update={"params": params | {"notifications": wanted}}))


def tell_id(message: JSONRPCRequest) -> None:
    """Report the id of a call that is being sent; called in the context of its sender."""
    if message.method == "tools/call" and (on_sent := _ON_SENT.get()):
        on_sent(message.id)


def asks_for_task(message: JSONRPCRequest) -> bool:
    """Return whether the message asks the server to run a tool as a task."""
    return message.method == "tools/call" and "task" in (message.params or {})


def pad_handle(result: Json) -> None:
    """Give the handle of a task the `content` without which the SDK refuses it."""
    if isinstance(result.get("task"), dict):
        result.setdefault("content", [])


def without_padding(result: Json) -> Json:
    """Return a result as it came: the handle of a task without the `content` of `pad_handle`."""
    if isinstance(result.get("task"), dict) and result.get("content") == []:
        return {name: value for name, value in result.items() if name != "content"}
    return result
