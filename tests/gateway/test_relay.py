"""The gateway passes requests and results on as they came, in each pair of eras; a question comes to the inbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import MCPError

from tests.gateway.agents import by_hand, connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries, entry
from tests.mcp_servers.echoing import CAPABILITIES, FAILURE, FIXED
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.smoke
@pytest.mark.parametrize("server", ["push", "rounds"])
@pytest.mark.parametrize("era", ERAS)
async def test_a_question_of_an_agents_call_comes_to_the_inbox(tmp_path: Path, server: str, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api), server, era) as agent,
        asyncio.TaskGroup() as tasks,
    ):
        calling = tasks.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        await api.answer(request, action="accept", content={"name": "Ann"})
        result = await calling
        assert result.structured_content == {"action": "accept", "content": {"name": "Ann"}}
        call = await api.json("GET", f"/calls/{request['call_id']}")
        assert call["via"]["kind"] == "agent"
        assert call["via"]["label"] == "My agent"
        assert call["via"]["client"]["name"] == "mcp"


@pytest.mark.parametrize("era", ERAS)
async def test_every_key_passes_in_both_directions(tmp_path: Path, era: Era) -> None:
    requests: dict[str, Json] = {
        "tools/list": {"cursor": "two", "x-param": None},
        "prompts/list": {},
        "resources/list": {},
        "resources/templates/list": {},
        "completion/complete": {"ref": {"type": "ref/prompt", "name": "echo"}, "argument": {"name": "a", "value": ""}},
        "tools/call": {"name": "echo", "arguments": {"a": {"b": None}}, "x-param": [None]},
        "prompts/get": {"name": "echo", "arguments": {"a": "b"}, "x-param": 1},
        "resources/read": {"uri": "echo://a", "x-param": 1},
        "vendor/unknown": {"a": None},
    }
    added = {"ttlMs", "cacheScope", "resultType"}
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing", era) as agent,
    ):
        await agent.begin()
        for method, params in requests.items():
            sent = params | {"_meta": {"traceparent": TRACEPARENT, "x-own": None}}
            result = await agent.result(method, sent)
            echo = result.pop("echo")
            # This program asks for progress with a token of its own.
            echo["params"]["_meta"].pop("progressToken", None)
            assert echo == {"method": method, "params": sent}, method
            assert result.pop("x-result") == [None]
            if method == "tools/list":
                assert result["tools"].pop()["name"] == "await_answer"
                # Each call may be a task of this program.
                execution = [tool.pop("execution", None) for tool in result["tools"]]
                assert execution == [{"taskSupport": "optional"} if era is Era.PUSH else None]
            assert {key: result[key] for key in result.keys() - added} == FIXED.get(method, {})
            assert (result.get("resultType") == "complete") == (era is Era.ROUNDS)


@pytest.mark.parametrize("server", ["echoing", ""])
async def test_unknown_notifications_of_an_agent_pass(tmp_path: Path, server: str) -> None:
    """At the address of all servers too, if one of them is the only one that may know them."""
    sent = {"x": None, "_meta": {"x-own": [None]}}
    async with (
        house(tmp_path, echoing=entry("echoing"), push=asker_entries()["push"]) as (running, api),
        by_hand(running, await token(api), server) as agent,
    ):
        assert (await agent.begin())["capabilities"]["experimental"] == CAPABILITIES["experimental"]
        await agent.notify("notifications/roots/list_changed", {})
        await agent.notify("notifications/vendor/step", sent)
        noticed = (await agent.result("vendor/noticed"))["noticed"]
        assert [(each["method"], each.get("params")) for each in noticed] == [
            ("notifications/initialized", None),
            ("notifications/vendor/step", sent),
        ]


@pytest.mark.parametrize("era", ERAS)
async def test_an_error_passes_with_its_data(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing", era) as agent,
    ):
        await agent.begin()
        assert (await agent.answer("tools/call", {"name": "fail"}))["error"] == FAILURE


@pytest.mark.parametrize("era", ERAS)
async def test_the_handshake_describes_the_server(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing", label="My echo")) as (running, api),
        by_hand(running, await token(api), "my-echo", era) as agent,
    ):
        described = await agent.begin()
        tasks: dict[Era, Json] = {
            Era.PUSH: {"tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}},
            Era.ROUNDS: {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        }
        assert described["capabilities"] == CAPABILITIES | tasks[era]
        assert described["instructions"] == "Echo."
        info = described.get("serverInfo") or described["_meta"]["io.modelcontextprotocol/serverInfo"]
        assert (info["name"], info["title"]) == ("mcp-webclient", "My echo")


@pytest.mark.parametrize("era", ERAS)
async def test_progress_reaches_an_agent_that_asks_for_it(tmp_path: Path, era: Era) -> None:
    steps: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001  (named by the SDK)
        steps.append(progress)

    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api), "push", era) as agent,
    ):
        await agent.call_tool("progress", {"steps": 3}, progress_callback=note)
    assert steps[-1] == 3
    assert steps == sorted(set(steps))


async def test_an_agent_that_cancels_ends_its_call_and_question(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        by_hand(running, await token(api), "push") as agent,
        asyncio.TaskGroup() as tasks,
    ):
        await agent.begin()
        calling = tasks.create_task(agent.send("tools/call", {"name": "ask_form", "arguments": {}}))
        (request,) = await open_requests(api)
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 2, "reason": "caller cancelled"}}
        await agent.http.post(
            f"{running.base}/mcp/push", json={"jsonrpc": "2.0", **cancelled}, headers=agent.headers("", {})
        )
        call = await api.in_state(await api.json("GET", f"/calls/{request['call_id']}"), "cancelled")
        calling.cancel()
        assert call["error"]["reason_code"] == "agent_cancelled"
        ended = await api.json("GET", f"/requests/{request['id']}", params={"wait": 30})
        assert ended["state"] == "cancelled"


async def test_a_decline_is_the_servers_to_tell(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, await token(api), "push") as agent,
        asyncio.TaskGroup() as tasks,
    ):
        calling = tasks.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        await api.answer(request, action="decline")
        assert (await calling).structured_content == {"action": "decline"}


async def test_a_refusal_of_ours_is_the_result_of_a_tool(tmp_path: Path) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        server_id = await api.server("push")
        async with connected(running.base, await token(api), "push") as agent:
            await api.json("POST", f"/servers/{server_id}/disconnect")
            result = await agent.call_tool("ask_form", {})
            assert result.is_error
            with pytest.raises(MCPError):
                await agent.list_tools()
