"""Calls that agents make as tasks: a handle at once, polls, the result later, in both generations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mcp import Client, MCPError
from mcp.client import advertise
from mcp.types import CallToolRequest, CallToolRequestParams, Request
from pydantic import TypeAdapter

from tests.gateway.agents import ByHand, by_hand, connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import ROOT, asker_entries, entry
from tests.mcp_servers.echoing import FAILURE
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ANN = {"action": "accept", "content": {"name": "Ann"}}
TASKS = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
ANYTHING = TypeAdapter(dict[str, Any])
STATE_KEY = "a key of this test, the same after the restart"


class OnTask(Request[dict[str, Any], str]):
    """A request on tasks, which the SDK does not have."""

    name_param: ClassVar[str | None] = "taskId"


Agent = Client | ByHand
"""The SDK's client speaks 2026-07-28 here; it takes no task of 2025-11-25, so that agent writes by hand."""


@asynccontextmanager
async def an_agent(running: Program, secret: str, server: str, era: Era = Era.PUSH) -> AsyncIterator[Agent]:
    """Connect an agent that knows tasks."""
    if era is Era.PUSH:
        async with by_hand(running, secret, server) as agent:
            described = await agent.begin()
            assert described["capabilities"]["tasks"]["requests"] == {"tools": {"call": {}}}
            yield agent
    else:
        async with connected(running.base, secret, server, era, extensions=[advertise(TASKS)]) as client:
            capabilities = client.session.server_capabilities
            assert capabilities
            assert TASKS in (capabilities.extensions or {})
            yield client


async def on_task(agent: Agent, method: str, **params: Any) -> Json:
    """Send a request on tasks, and return its result. Raises MCPError."""
    if isinstance(agent, ByHand):
        answer = await agent.answer(method, params)
        if "error" in answer:
            raise MCPError(**answer["error"])
        result: Json = answer["result"]
        return result
    return await agent.session.send_request(OnTask(method=method, params=params), ANYTHING)  # type: ignore[type-var]  # as it came


async def called(agent: Agent, tool: str, arguments: Json | None = None, **task: Any) -> Json:
    """Call a tool, in 2025-11-25 as a task, and return the task or the result. Raises MCPError."""
    if isinstance(agent, ByHand):
        made = await on_task(agent, "tools/call", name=tool, arguments=arguments or {}, task=task)
        found: Json = made["task"]
        return found
    params = CallToolRequestParams(name=tool, arguments=arguments or {})
    return await agent.session.send_request(CallToolRequest(params=params), ANYTHING)  # type: ignore[type-var]  # as it came


async def until(agent: Agent, task: Json, status: str) -> Json:
    """Poll a task until it has this status."""
    async with asyncio.timeout(PATIENCE):
        while (found := await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] != status:
            assert found["status"] == "working", found
            await asyncio.sleep((found.get("pollIntervalMs") or found["pollInterval"]) / 1000)
    return found


async def answered(api: Api) -> None:
    """Answer the only question."""
    (request,) = await open_requests(api)
    await api.answer(request, action="accept", content={"name": "Ann"})


async def calls(api: Api) -> list[Json]:
    """Return all calls."""
    found: list[Json] = (await api.json("GET", "/calls"))["calls"]
    return found


@pytest.mark.smoke
@pytest.mark.parametrize("server", ["push", "rounds"])
async def test_a_call_as_a_task_is_polled_and_its_result_fetched(tmp_path: Path, server: str) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        an_agent(running, await token(api), server) as agent,
        asyncio.TaskGroup() as tasks,
    ):
        listed = {tool["name"]: tool.get("execution") for tool in (await on_task(agent, "tools/list"))["tools"]}
        assert listed.pop("await_answer") is None
        assert all(execution == {"taskSupport": "optional"} for execution in listed.values())
        task = await called(agent, "ask_form", ttl=10_000_000)
        assert (task["status"], task["ttl"]) == ("working", 10_000_000)
        result = tasks.create_task(on_task(agent, "tasks/result", taskId=task["taskId"]))
        (request,) = await open_requests(api)
        waiting = await on_task(agent, "tasks/get", taskId=task["taskId"])
        assert (waiting["status"], bool(waiting["statusMessage"])) == ("working", True)
        assert [each["taskId"] for each in (await on_task(agent, "tasks/list"))["tasks"]] == [task["taskId"]]
        await api.answer(request, action="accept", content={"name": "Ann"})
        fetched = await result
        assert (fetched["structuredContent"], fetched["_meta"][RELATED]) == (ANN, {"taskId": task["taskId"]})
        assert (await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] == "completed"
        # A result that was fetched can be fetched again, and an equal call is another one.
        assert (await on_task(agent, "tasks/result", taskId=task["taskId"])) == fetched
        assert (await called(agent, "ask_form"))["taskId"] != task["taskId"]


@pytest.mark.parametrize("server", ["push", "rounds", ""])
async def test_an_agent_gets_a_task_when_a_person_is_asked(tmp_path: Path, server: str) -> None:
    servers = asker_entries() if server else {"push": asker_entries()["push"]}
    async with (
        house(tmp_path, **servers) as (running, api),
        an_agent(running, await token(api, patience=60), server, Era.ROUNDS) as agent,
    ):
        # Without a question a call has its result at once.
        assert (await called(agent, "structured"))["resultType"] == "complete"
        task = await called(agent, "ask_form")
        assert (task["resultType"], task["status"]) == ("task", "working")
        await answered(api)
        done = await until(agent, task, "completed")
        assert done["result"]["structuredContent"] == ANN
        assert await on_task(agent, "tasks/cancel", taskId=task["taskId"])
        assert len(await calls(api)) == 2


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_task_outlives_a_restart(tmp_path: Path, era: Era) -> None:
    servers = {"rounds": asker_entries("--state-key", STATE_KEY)["rounds"]}
    async with house(tmp_path, **servers) as (running, api):
        secret = await token(api)
        async with an_agent(running, secret, "rounds", era) as agent:
            task = await called(agent, "ask_form")
            await open_requests(api)
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        await api.server("rounds")
        async with an_agent(running, secret, "rounds", era) as agent:
            assert (await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] == "working"
            await answered(api)
            done = await until(agent, task, "completed")
            if era is Era.PUSH:
                done = {"result": await on_task(agent, "tasks/result", taskId=task["taskId"])}
            assert done["result"]["structuredContent"] == ANN
        assert len(await calls(api)) == 1
    async with program(tmp_path, servers=servers) as running, running.client() as api:
        await api.server("rounds")
        async with an_agent(running, secret, "rounds", era) as agent:
            assert (await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] == "completed"


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_agent_cancels_its_task(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        an_agent(running, await token(api), "push", era) as agent,
    ):
        task = await called(agent, "ask_form")
        (request,) = await open_requests(api)
        await on_task(agent, "tasks/cancel", taskId=task["taskId"])
        assert (await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] == "cancelled"
        settled = await api.json("GET", f"/requests/{request['id']}")
        assert (settled["state"], settled["reason_code"]) == ("cancelled", "agent_cancelled")
        if era is Era.PUSH:
            with pytest.raises(MCPError) as refused:
                await on_task(agent, "tasks/cancel", taskId=task["taskId"])
            assert refused.value.error.code == -32602


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_task_of_another_agent_or_server_is_unknown(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        secret = await token(api)
        async with an_agent(running, secret, "push", era) as agent:
            task = await called(agent, "ask_form")
        for word, server in ((await token(api, "Thief"), "push"), (secret, "rounds")):
            async with an_agent(running, word, server, era) as other:
                for method in ("tasks/get", "tasks/cancel", "tasks/result" if era is Era.PUSH else "tasks/update"):
                    with pytest.raises(MCPError) as refused:
                        await on_task(other, method, taskId=task["taskId"], inputResponses={})
                    assert refused.value.error.code == -32602
                if era is Era.PUSH:
                    assert (await on_task(other, "tasks/list"))["tasks"] == []
        # At the address of all servers it is the same agent.
        async with an_agent(running, secret, "", era) as agent:
            assert (await on_task(agent, "tasks/get", taskId=task["taskId"]))["status"] == "working"


async def test_tasks_that_are_meant_as_two_stay_two(tmp_path: Path) -> None:
    """While a person is asked an equal call joins, as it does without tasks."""
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        an_agent(running, await token(api), "push") as agent,
    ):
        one, two = [await called(agent, "sleep_until_cancelled", {"name": "a"}) for _time in range(2)]
        assert one["taskId"] != two["taskId"]
        first = await called(agent, "ask_form")
        await open_requests(api)
        assert (await called(agent, "ask_form"))["taskId"] == first["taskId"]


async def test_an_error_in_a_task_is_its_outcome(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries(), echoing=entry("echoing")) as (running, api),
        an_agent(running, await token(api), "push") as agent,
        an_agent(running, await token(api), "echoing") as echoing,
    ):
        failed = await called(agent, "fail")
        assert (await until(agent, failed, "failed"))["status"] == "failed"
        assert (await on_task(agent, "tasks/result", taskId=failed["taskId"]))["isError"]
        error = await called(echoing, "fail")
        await until(echoing, error, "failed")
        with pytest.raises(MCPError) as refused:
            await on_task(echoing, "tasks/result", taskId=error["taskId"])
        assert refused.value.error.data == FAILURE["data"]
        # The additional tool waits by itself, so it cannot run as a task.
        with pytest.raises(MCPError) as refused:
            await called(agent, "await_answer", {"call": "x"})
        assert refused.value.error.code == -32601


async def test_tasks_are_for_agents_that_speak_of_them(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=1), "push", Era.ROUNDS) as plain,
        by_hand(running, await token(api, patience=1), "push") as older,
    ):
        assert "mcp-webclient/call" in (await called(plain, "ask_form"))["_meta"]
        with pytest.raises(MCPError) as refused:
            await on_task(plain, "tasks/get", taskId="x")
        assert refused.value.error.code == -32021
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        assert "tasks" not in (await older.result("initialize", params))["capabilities"]
        await older.notify("notifications/initialized")
        assert not any("execution" in tool for tool in (await older.result("tools/list"))["tools"])
        answer = await older.result("tools/call", {"name": "structured", "arguments": {}, "task": {}})
        assert "content" in answer


async def test_a_list_of_tasks_has_pages(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        an_agent(running, await token(api), "push") as agent,
    ):
        made = {(await called(agent, "structured", {"city": str(n)}))["taskId"] for n in range(120)}
        found: list[str] = []
        cursor: Json = {}
        while True:
            page = await on_task(agent, "tasks/list", **cursor)
            found += [each["taskId"] for each in page["tasks"]]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert (len(found), set(found)) == (120, made)
        with pytest.raises(MCPError) as refused:
            await on_task(agent, "tasks/list", cursor="x")
        assert refused.value.error.code == -32602


@pytest.mark.parametrize(("python", "program_of_it"), [("mcp-1", "tasks_on_mcp_1"), ("mcp-2", "tasks_on_fastmcp_4")])
async def test_published_clients_get_tasks(tmp_path: Path, python: str, program_of_it: str) -> None:
    """Version 1 of the Python SDK asks for a task of 2025-11-25, FastMCP 4 declares the extension of 2026-07-28."""
    async with house(tmp_path, **asker_entries()) as (running, api):
        command = [str(ROOT / f"build/{python}/bin/python"), "-W", "ignore"]
        script = str(ROOT / f"tests/gateway/{program_of_it}.py")
        arguments = [f"{running.base}/mcp/push", await token(api)]
        process = await asyncio.create_subprocess_exec(
            *command, script, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        await answered(api)
        async with asyncio.timeout(PATIENCE):
            output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        assert json.loads(output) == ANN
