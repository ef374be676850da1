"""Tasks of 2026-07-28 over HTTP: the header that names them, and a server that restarts while a task waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.calls.tasks.task_calls import ASKING, FORM, call_with, log, stored
from tests.house import config, house
from tests.line import delivered
from tests.mcp_servers import running
from webclient.domain.model import Action, CallState, Delivery, ServerState

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("task_id", ["t1", "tâche ☃"])
async def test_requests_on_a_task_name_it_in_a_header(tmp_path: Path, task_id: str) -> None:
    """X10 and X14: `Mcp-Name` MUST be the id of the task; every request declares the extension."""
    async with (
        running("tasks") as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address})]) as rooms,
    ):
        await rooms.connected("it")
        call = await rooms.call("it", "run", {"taskId": task_id, **ASKING, "then": {"status": "working"}})
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.CANCEL)
        await rooms.settled(request)
        await delivered(rooms, request, Delivery.DELIVERED)
        await rooms.services.calls.cancel(await stored(rooms, call))
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            sent = await log(rooms, method)
            assert {each["mcp_name"] for each in sent} == {task_id}, method
            for each in sent:
                capabilities = each["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
                assert capabilities["extensions"]["io.modelcontextprotocol/tasks"] == {}


async def test_a_task_outlives_its_connection(tmp_path: Path) -> None:
    """X4: the server is killed while its task asks; the answer given meanwhile reaches the next one."""
    arguments = ["--state", str(tmp_path / "tasks.json")]
    async with running("tasks", arguments=arguments) as server:
        port = server.port
        async with house(tmp_path, [config("it", {"type": "http", "url": server.address})]) as rooms:
            await rooms.connected("it")
            call, [request] = await call_with(rooms, q1=FORM)
            server.kill()
            await rooms.status("it", ServerState.RECONNECTING)
            assert (await stored(rooms, call)).state is CallState.INPUT_REQUIRED
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
            async with running("tasks", arguments=arguments, port=port):
                assert (await rooms.ended(call)).state is CallState.DONE
                assert (await rooms.settled(request)).delivery is Delivery.DELIVERED
