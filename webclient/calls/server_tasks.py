"""The tasks that a server has for the user, also those that were not started here; and how to take one up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from webclient import protocol
from webclient.calls.checkpoint import TaskCheckpoint
from webclient.calls.service import Calls
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, CallKind, CallState, Server, Task, Via
from webclient.servers.connections import Connections, asking, lists_tasks
from webclient.store import Store

PATIENCE = 5
"""Seconds that a server has to answer."""

LONGEST_ID = 1_000
"""Characters of the ID of a task that a user may type."""

LOOKED_THROUGH = 200
"""The newest calls of a server among which the one is looked for that follows a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    """A task that a server lists, with the newest call here that follows it or did; None if no call does."""

    task: Task
    call: Call | None


class ServerTasks:
    """The tasks of servers."""

    def __init__(self, store: Store, connections: Connections, calls: Calls) -> None:
        self._store = store
        self._connections = connections
        self._calls = calls

    async def list(self, server: Server) -> Sequence[ListedTask]:
        """List the tasks that the server has for us (MCP 2025-11-25, Tasks, Listing Tasks).

        Raises ConflictError if it is not connected, does not list its tasks, or fails to.
        """
        connection = self._connections.connected(server)
        if not lists_tasks(connection.status.capabilities):
            raise ConflictError(_("This server does not list its tasks."))
        async with _asking():
            tasks = await protocol.tasks_of(connection.session).list()
        by_task = await self._calls_by_task(server)
        return [ListedTask(task=task, call=by_task.get(task.id)) for task in tasks]

    async def take_up(self, server: Server, task_id: str, *, via: Via = Via.API) -> Call:
        """Follow a task as a new call, and return that; if an open call follows it already, return that one.

        The name of the call is the ID of the task, since the server does not say which tool it runs. Raises
        ConflictError if the server is not connected or fails to answer, and NotFoundError if it does not know the task.
        """
        if not task_id or len(task_id) > LONGEST_ID or not _can_be_sent(task_id):
            raise ConflictError(_("Enter the ID of a task."))
        connection = self._connections.connected(server)
        followed = (await self._calls_by_task(server)).get(task_id)
        if followed and not followed.state.ended:
            return followed
        async with _asking():
            report = await protocol.tasks_of(connection.session).get(task_id)
        call = Call(
            user_id=server.user_id,
            server_id=server.id,
            server_label=server.label,
            kind=CallKind.TOOL,
            name=report.task.id,
            task=report.task,
            via=via,
        )
        checkpoint = TaskCheckpoint(generation=connection.status.protocol_version or "", task_id=report.task.id)
        return await self._calls.follow(call, checkpoint, connection)

    async def _calls_by_task(self, server: Server) -> dict[str, Call]:
        """Return the newest call for each task, by the ID of the task."""
        find = self._store.of(server.user_id).calls.find
        open_ = [
            call
            for state in (CallState.RUNNING, CallState.INPUT_REQUIRED)
            for call in await find(server_id=server.id, state=state, limit=LOOKED_THROUGH)
        ]
        newest = await find(server_id=server.id, limit=LOOKED_THROUGH)
        # Later ones win: the newest of those that have ended, and any that has not.
        return {call.task.id: call for call in [*reversed(newest), *open_] if call.task}


def _can_be_sent(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which JSON may have and UTF-8 has not."""
    return text.encode("utf-8", "replace").decode() == text


def _asking() -> AbstractAsyncContextManager[None]:
    return asking(PATIENCE, unknown=_("The server does not know a task with this ID."))
