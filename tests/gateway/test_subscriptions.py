"""Agents hear of changes of lists and of resources, in each pair of eras, and of nothing that another agent follows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError

from tests.gateway.agents import by_hand, listening, subscribe, token, unsubscribe
from tests.gateway.houses import house
from tests.mcp_servers import asker_entries, entry
from tests.mcp_servers.asker.updates import CLOSED
from tests.program import PATIENCE, Api
from webclient.domain.model import Era, Json, Server
from webclient.gateway import Visit
from webclient.gateway.followers import LISTS, MOST_RESOURCES, MOST_WAITING, Follower

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)
TEXT = "asker://text"


async def _subscribed(client: Client, name: str = "update", uri: str = "asker://nothing") -> list[str]:
    """Let the server report a change; return the subscriptions of 2025-11-25 that it has."""
    result = await client.call_tool(name, {"uri": uri})
    return str(result.content[0].text).split()  # type: ignore[union-attr]


async def _until_subscribed(client: Client, wanted: list[str]) -> None:
    async with asyncio.timeout(PATIENCE):
        while await _subscribed(client) != wanted:
            pass


async def _reconnect(api: Api, server: str) -> None:
    server_id = await api.server(server)
    await api.json("POST", f"/servers/{server_id}/disconnect")
    await api.json("POST", f"/servers/{server_id}/connect", 202)
    await api.server(server)


@pytest.mark.parametrize("server", ["push", "rounds"])
@pytest.mark.parametrize("era", ERAS)
async def test_agents_hear_of_changes(tmp_path: Path, server: str, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        listening(running.base, await token(api), server, era, [TEXT]) as agent,
    ):
        capabilities = agent.client.server_capabilities
        assert capabilities.tools
        assert capabilities.tools.list_changed
        assert capabilities.resources
        assert capabilities.resources.subscribe
        await agent.client.call_tool("notify_changes", {})
        assert await agent.next() == "tools"
        await agent.client.call_tool("update", {"uri": TEXT})
        assert await agent.next() == TEXT
        await _reconnect(api, server)
        await agent.until("tools", "prompts", "resources", TEXT)
        await agent.client.call_tool("update", {"uri": TEXT})
        assert await agent.next() == TEXT


@pytest.mark.parametrize("era", ERAS)
async def test_agents_of_all_servers_hear_of_changes(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        listening(running.base, await token(api), "", era, [f"rounds+{TEXT}"]) as agent,
    ):
        await agent.client.call_tool("push_notify_changes", {})
        assert await agent.next() == "tools"
        await agent.client.call_tool("push_update", {"uri": TEXT})
        await agent.client.call_tool("rounds_update", {"uri": TEXT})
        assert await agent.next() == f"rounds+{TEXT}"
        assert agent.silent()
        push = await api.server("push")
        await api.json("POST", f"/servers/{push}/disconnect")
        await agent.until("tools", "prompts", "resources")
        assert "update" in {each.name for each in (await agent.client.list_tools()).tools}


async def test_a_subscription_ends_with_the_last_agent(tmp_path: Path) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        secret = await token(api)
        async with listening(running.base, secret, "push", Era.PUSH) as watching:
            async with listening(running.base, secret, "push", Era.PUSH, [TEXT]) as one:
                async with listening(running.base, secret, "push", Era.ROUNDS, [TEXT, "asker://more"]) as two:
                    assert await _subscribed(watching.client, uri=TEXT) == [TEXT, "asker://more"]
                    assert (await one.next(), await two.next()) == (TEXT, TEXT)
                await _until_subscribed(watching.client, [TEXT])
                await unsubscribe(one.client, TEXT)
                await _until_subscribed(watching.client, [])
                await subscribe(one.client, TEXT)
                await _until_subscribed(watching.client, [TEXT])
            await _until_subscribed(watching.client, [])
            assert watching.silent()


async def test_an_agent_ends_no_subscription_of_a_person(tmp_path: Path) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        push = await api.server("push")
        await api.json("PATCH", f"/servers/{push}", json={"followed": [TEXT]})
        async with listening(running.base, await token(api), "push", Era.PUSH, [TEXT]) as agent:
            await _until_subscribed(agent.client, [TEXT])
            await unsubscribe(agent.client, TEXT)
            assert await _subscribed(agent.client, uri=TEXT) == [TEXT]
            assert agent.silent()
        found = await api.json("GET", f"/servers/{push}/followed")
        assert len(found["followed"][0]["updates"]) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_a_revoked_agent_hears_nothing_more(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        made = await api.json("POST", "/tokens", 201, json={"label": "One", "scopes": ["gateway"]})
        async with (
            listening(running.base, await token(api), "push", Era.PUSH) as other,
            listening(running.base, made["secret"], "push", era, [TEXT]) as agent,
        ):
            await _until_subscribed(other.client, [TEXT])
            await api.delete(f"/tokens/{made['id']}")
            await _until_subscribed(other.client, [])
            await _subscribed(other.client, uri=TEXT)
            assert agent.silent()
            with pytest.raises(MCPError):
                await agent.client.list_tools()
        assert other.silent()


async def test_the_refusal_of_a_server_is_the_agents(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        listening(running.base, await token(api), "push", Era.PUSH) as agent,
    ):
        with pytest.raises(MCPError, match="No client can subscribe to that") as refused:
            await subscribe(agent.client, CLOSED)
        assert refused.value.error.code == -32602
        assert await _subscribed(agent.client, uri=TEXT) == []
        assert agent.silent()


async def test_a_stream_names_what_the_server_agrees_to(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        listening(running.base, await token(api), "push", Era.ROUNDS) as agent,
        agent.client.listen(tools_list_changed=True, resource_subscriptions=[TEXT, CLOSED]) as changes,
    ):
        honored = changes.honored
        assert (honored.tools_list_changed, honored.prompts_list_changed) == (True, None)
        assert honored.resource_subscriptions == [TEXT]


@pytest.mark.parametrize("era", ERAS)
async def test_notices_pass_with_every_key(tmp_path: Path, era: Era) -> None:
    """Only to those who follow it, and with the subscription of their own hop."""
    updated = {"uri": "echo://a/b", "x-own": [None, {"a": None}], "_meta": {"x-meta": None}}
    changed = {"_meta": {"traceparent": "00-1", "x-own": [None]}, "x-param": None}
    messages = [
        {"method": "notifications/resources/updated", "params": updated},
        {"method": "notifications/resources/updated", "params": {"uri": "echo://b"}},
        {"method": "notifications/prompts/list_changed", "params": changed},
        {"method": "notifications/tools/list_changed"},
    ]
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing", era) as agent,
        by_hand(running, await token(api, "Other"), "echoing") as other,
    ):
        await agent.begin()
        await other.begin()
        async with agent.stream(["echo://a"]) as heard:
            await other.result("tools/call", {"name": "notify", "arguments": {"messages": messages}})
            expected = {
                "notifications/resources/updated": updated,
                "notifications/prompts/list_changed": changed,
                "notifications/tools/list_changed": {},
            }
            for _count in range(len(expected)):
                message = await anext(heard)
                params = message.get("params", {})
                if era is Era.ROUNDS:
                    assert params["_meta"].pop("io.modelcontextprotocol/subscriptionId") is not None
                    params = params if params["_meta"] else {}
                assert params == expected.pop(message["method"])


async def test_an_agent_can_follow_so_many_resources(tmp_path: Path) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing") as agent,
    ):
        await agent.begin()
        for number in range(MOST_RESOURCES):
            await agent.result("resources/subscribe", {"uri": f"echo://{number}"})
        assert "error" in await agent.answer("resources/subscribe", {"uri": "echo://more"})
        await agent.result("resources/unsubscribe", {"uri": "echo://0"})
        await agent.result("resources/subscribe", {"uri": "echo://more"})


async def test_notices_that_wait_are_few(tmp_path: Path) -> None:
    del tmp_path
    server = Server(user_id="local", label="it", transport={})
    visit = Visit(user_id="local", token_id="t", label="it", leave=lambda: None, server=server)
    follower = Follower(visit, set(LISTS.values()))
    follower.resources["a://b"] = server, "a://b"
    for number in range(3 * MOST_WAITING):
        follower.updated(server.id, {"uri": f"a://b/{number // 2}"})
        follower.lists_changed()
    sent: list[str] = []

    async def send(method: str, params: Json | None) -> None:
        sent.append(str((params or {}).get("uri", method)))

    with anyio.move_on_after(0.05):
        await follower.pass_on(send)
    assert len(sent) == MOST_WAITING
    assert sent[-4] == f"a://b/{3 * MOST_WAITING // 2 - 1}"
    assert set(sent[-3:]) == set(LISTS.values())
