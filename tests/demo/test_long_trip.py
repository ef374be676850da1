"""The long trip of the demo: where it stands at a moment, and as a task of the extension of 2026-07-28."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.extension import ClientExtension, advertise
from mcp.client.session import ClientSession
from mcp.server.mcpserver import MCPServer
from mcp.types import Request, RequestParams
from pydantic import ConfigDict, TypeAdapter

from webclient.demo.long_trip import TasksExtension, TaskShelf, plan_trip
from webclient.demo.long_trip.plan import STEPS, Answer, stands
from webclient.demo.server import DAY
from webclient.domain.model import Era, Json

EXTENSION = "io.modelcontextprotocol/tasks"
ANSWERS = {
    "flight": {"action": "accept", "content": {"flight": "noon"}},
    "stay": {"action": "accept", "content": {"nights": 2}},
}
ANY: TypeAdapter[Json] = TypeAdapter(dict[str, Any])


class Params(RequestParams):
    """The parameters of all three methods; `model_extra` has those of `tasks/update`."""

    model_config = ConfigDict(extra="allow")
    task_id: str


class TaskRequest(Request[Params, Literal["tasks/get", "tasks/update", "tasks/cancel"]]):
    """A request about a task, by its id."""

    method: Literal["tasks/get", "tasks/update", "tasks/cancel"]
    params: Params
    name_param = "taskId"


@asynccontextmanager
async def demo(
    folder: Path, era: Era = Era.ROUNDS, extensions: Sequence[ClientExtension] = (advertise(EXTENSION),)
) -> AsyncIterator[ClientSession]:
    """Connect to a new demo server with a fast trip, whose tasks are in `folder`."""
    shelf = TaskShelf(str(folder / "tasks.sqlite"), seconds=DAY)
    target: MCPServer[Any] = MCPServer(name="demo", extensions=[TasksExtension(shelf, pace=0.001)])
    target.add_tool(plan_trip, structured_output=False)
    mode = "legacy" if era is Era.PUSH else era.value
    async with Client(target, mode=mode, extensions=extensions) as client:
        yield client.session


async def ask(session: ClientSession, method: Any, task_id: str, **params: object) -> Json:
    """Send a request about a task and return the result as it came."""
    request = TaskRequest(method=method, params=Params.model_validate({"taskId": task_id, **params}))
    return await session.send_request(request, ANY)  # type: ignore[type-var]  # as it came


async def until(session: ClientSession, task_id: str, status: str) -> Json:
    """Return the task once it has that status."""
    while True:
        found = await ask(session, "tasks/get", task_id)
        if found["status"] == status:
            return found
        await anyio.sleep(0.01)


async def begin(session: ClientSession, destination: str = "Lisbon") -> Json:
    """Call the tool and return what came."""
    params = {"name": "plan_trip", "arguments": {"destination": destination}}
    request = Request[dict[str, Any], str](method="tools/call", params=params)
    return await session.send_request(request, ANY)  # type: ignore[type-var]  # as it came


def test_where_the_trip_stands_follows_from_clock_and_answers() -> None:
    first, second, third = STEPS
    flight = {"flight": Answer(at=100, response=ANSWERS["flight"])}
    both = {**flight, "stay": Answer(at=200, response=ANSWERS["stay"])}
    assert stands("Kyoto", 0, {}, first.seconds / 2).message == "Comparing flights to Kyoto: 50 %"
    assert list(stands("Kyoto", 0, {}, first.seconds).asks) == ["flight"]
    assert list(stands("Kyoto", 0, {}, 10**6).asks) == ["flight"]
    assert stands("Kyoto", 0, flight, 100).status == "working"
    assert list(stands("Kyoto", 0, flight, 100 + second.seconds).asks) == ["stay"]
    assert stands("Kyoto", 0, both, 200).status == "working"
    done = stands("Kyoto", 0, both, 200 + third.seconds)
    assert done.result is not None
    assert done.result["content"][0]["text"].startswith("Kyoto: flight at 12:15, 310 EUR; 2 nights")
    assert stands("Kyoto", 0, both, 200 + third.seconds, pace=2).status == "working"


@pytest.mark.anyio
async def test_a_trip_asks_twice_and_outlives_its_server(tmp_path: Path) -> None:
    async with demo(tmp_path) as session:
        handle = await begin(session)
        assert handle["resultType"] == "task"
        task_id = handle["taskId"]
        waiting = await until(session, task_id, "input_required")
        assert list(waiting["inputRequests"]) == ["flight"]
        wrong = {"flight": {"action": "accept", "content": {"flight": "never"}}}
        with pytest.raises(MCPError, match="does not match"):
            await ask(session, "tasks/update", task_id, inputResponses=wrong)
        await ask(session, "tasks/update", task_id, inputResponses={"flight": ANSWERS["flight"]})
    async with demo(tmp_path) as session:
        waiting = await until(session, task_id, "input_required")
        assert list(waiting["inputRequests"]) == ["stay"]
        # The first answer counts; later ones are ignored.
        late = {"flight": {"action": "decline"}, "stay": ANSWERS["stay"]}
        await ask(session, "tasks/update", task_id, inputResponses=late)
        done = await until(session, task_id, "completed")
        assert "12:15" in done["result"]["content"][0]["text"]
        await ask(session, "tasks/cancel", task_id)
        assert (await ask(session, "tasks/get", task_id))["status"] == "completed"


@pytest.mark.anyio
async def test_a_trip_that_is_declined_or_cancelled_ends(tmp_path: Path) -> None:
    async with demo(tmp_path) as session:
        declined, cancelled = (await begin(session))["taskId"], (await begin(session))["taskId"]
        await until(session, declined, "input_required")
        await ask(session, "tasks/update", declined, inputResponses={"flight": {"action": "decline"}})
        assert "No trip planned" in (await until(session, declined, "completed"))["result"]["content"][0]["text"]
        await ask(session, "tasks/cancel", cancelled)
        await ask(session, "tasks/cancel", cancelled)
        assert (await ask(session, "tasks/get", cancelled))["status"] == "cancelled"
        with pytest.raises(MCPError, match="Unknown or expired task"):
            await ask(session, "tasks/get", "nonsense")
        assert (await begin(session, "Atlantis"))["isError"]


@pytest.mark.anyio
async def test_a_trip_needs_the_extension_and_its_version(tmp_path: Path) -> None:
    """A client of 2025-11-25 that names the extension does not have it (extension of 2026-07-28, Versions)."""
    async with demo(tmp_path, Era.PUSH) as session:
        refused = await begin(session)
        assert refused["isError"]
        assert "2026-07-28" in refused["content"][0]["text"]
    async with demo(tmp_path, extensions=[]) as session:
        with pytest.raises(MCPError, match="did not declare required extension"):
            await begin(session)
