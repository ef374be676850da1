"""Tasks that a server lists and that no call here has started: they are found, taken up, and cancelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import config, house
from tests.push_tasks.servers import mcp_1_over_stdio
from webclient import protocol
from webclient.calls import ServerTasks
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import CallKind, CallState, Era, Server, TaskStatus

pytestmark = pytest.mark.anyio


async def unfollowed(tasks: ServerTasks, server: Server) -> list[str]:
    """Return the IDs of the listed tasks that no call follows."""
    return [each.task.id for each in await tasks.list(server) if each.call is None]


async def test_a_task_of_another_program_is_taken_up(tmp_path: Path) -> None:
    """Cursors of `tasks/list` are opaque, and a task ends by `tasks/cancel` (MCP 2025-11-25, Tasks: R9, R10)."""
    async with house(tmp_path, [config("tea", mcp_1_over_stdio(), Era.PUSH)]) as rooms:
        server = await rooms.connected("tea")
        tasks, calls = rooms.services.server_tasks, rooms.services.calls
        session = rooms.services.connections.connected(server).session
        # As another program that has the same session would.
        handle = await protocol.send_call(session, CallKind.TOOL, "slow", {}, task={"ttl": 60_000})
        task_id = handle["task"]["taskId"]
        assert await unfollowed(tasks, server) == [task_id]

        call = await tasks.take_up(server, task_id)
        assert (call.name, call.task and call.task.id, call.was_taken_up) == (task_id, task_id, True)
        assert (await tasks.take_up(server, task_id)).id == call.id, "one call follows it"
        assert await unfollowed(tasks, server) == []
        assert (await calls.cancel(call)).state is CallState.CANCELLED
        assert [each.task.status for each in await tasks.list(server)] == [TaskStatus.CANCELLED]
        with pytest.raises(ConflictError, match="another program"):
            await calls.retry(call)

        for nonsense in ("nonsense", "\u202e\0", "x" * 900):
            with pytest.raises((NotFoundError, ConflictError)):
                await tasks.take_up(server, nonsense)
        for invalid in ("", "x" * 1001, "\ud800"):
            with pytest.raises(ConflictError, match="Enter the ID"):
                await tasks.take_up(server, invalid)
