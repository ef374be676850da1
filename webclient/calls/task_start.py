"""Sends a call that its server is to run as a task, and cancels a task whose handle comes too late.

A request for a task MUST be cancelled with `tasks/cancel`, and not with `notifications/cancelled` (MCP 2025-11-25,
Tasks, Task Cancellation). So the request is never given up: when its call has ended, its handle is still waited for. In
2026-07-28 any call may become a task. So its handle is waited for a moment, because it may be on its way; then the
request is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from webclient import protocol
from webclient.domain.errors import ConflictError
from webclient.domain.model import Call, CallKind, Era, Json
from webclient.protocol import MalformedResultError, ServerError
from webclient.servers.connections import Connection, Connections, TaskSupport, has_tasks, takes_tasks
from webclient.support import background

TIME_TO_LIVE = 24 * 3600 * 1000
"""Milliseconds for which servers are asked to keep a task: a person may answer tomorrow."""

logger = logging.getLogger(__name__)

CROSSING = 0.5
"""Seconds that a handle has to arrive after its call has ended, if nothing says that the call becomes a task."""


async def task_to_ask_for(connections: Connections, connection: Connection, call: Call, *, wished: bool) -> Json | None:
    """Return the `task` with which to send the call; `wished` is the person's choice where its tool allows both.

    Clients MUST ask for a task if the tool requires one, and MUST NOT if it allows none (Tasks, Tool-Level
    Negotiation).
    """
    if call.kind is not CallKind.TOOL or not takes_tasks(connection.status.capabilities):
        return None
    if not connection.knows_catalog:
        await connections.know_tools(connection.server)
    support = connection.task_support(call.name)
    if support is TaskSupport.REQUIRED or (wished and support is TaskSupport.OPTIONAL):
        return {"ttl": TIME_TO_LIVE}
    return None


async def report_elsewhere(_progress: float, _total: float | None, _message: str | None) -> None:
    """Ignore a step of progress: the session reports each, also those after the handle of the task."""


async def answer_to(sending: Coroutine[Any, Any, Json], connection: Connection, *, as_task: bool) -> Json:
    """Return the result of `sending`; if the caller is cancelled meanwhile, cancel the task that it creates.

    `as_task`: it asks for a task. Otherwise a task may come of it only if the server has the extension of 2026-07-28.
    """
    by_itself = connection.status.protocol_version == Era.ROUNDS and has_tasks(connection.status.capabilities)
    if not as_task and not by_itself:
        return await sending
    response = asyncio.create_task(sending)
    try:
        return await background.shared(response)
    except asyncio.CancelledError:
        background.start(_cancel_late(response, connection, None if as_task else CROSSING), name="cancel a task")
        raise


async def _cancel_late(response: asyncio.Task[Json], connection: Connection, patience: float | None) -> None:
    await asyncio.wait([response], timeout=patience)
    if not response.done() or response.cancelled():
        response.cancel()
        return
    try:
        task = protocol.task_handle(response.result())
        if task and not task.status.ended:
            await protocol.tasks_of(connection.session).cancel(task.id)
    except (ServerError, MalformedResultError, ConflictError) as error:
        logger.info("A task that was not wanted any more could not be cancelled: %s", error)
