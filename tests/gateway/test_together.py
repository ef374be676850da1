"""All servers of an agent at one address: their lists in one, and each request at the right server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.gateway.agents import by_hand, connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries, entry
from webclient.domain.model import Catalog, Era, Json, Server
from webclient.gateway.together import TOOLS, Names

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)


@pytest.mark.parametrize("era", ERAS)
async def test_a_name_of_two_servers_has_the_server_before_it(tmp_path: Path, era: Era) -> None:
    servers = {
        "one": entry("echoing", label="One"),
        "two": entry("echoing", label="Two"),
        "push": asker_entries()["push"],
    }
    async with (
        house(tmp_path, **servers) as (running, api),
        by_hand(running, await token(api), "", era) as agent,
    ):
        await agent.begin()
        tools = {each["name"]: each for each in (await agent.result("tools/list"))["tools"]}
        assert {"one_echo", "two_echo", "ask_form", "await_answer"} <= tools.keys()
        assert "echo" not in tools
        assert tools["two_echo"]["title"] == "echo (Two)"
        assert tools["two_echo"]["x-unknown"] == {"deep": [None, 1]}
        prompts = (await agent.result("prompts/list"))["prompts"]
        assert {"one_echo", "two_echo"} <= {each["name"] for each in prompts}
        resources = (await agent.result("resources/list"))["resources"]
        assert {"one+echo://a", "two+echo://a"} <= {each["uri"] for each in resources}
        templates = (await agent.result("resources/templates/list"))["resourceTemplates"]
        assert "two+echo://{x}" in {each["uriTemplate"] for each in templates}
        for method, given, own in (
            ("tools/call", {"name": "two_echo", "arguments": {"a": 1}}, {"name": "echo", "arguments": {"a": 1}}),
            ("prompts/get", {"name": "two_echo"}, {"name": "echo"}),
            ("resources/read", {"uri": "two+echo://b"}, {"uri": "echo://b"}),
            (
                "completion/complete",
                {"ref": {"type": "ref/resource", "uri": "two+echo://{x}"}, "argument": {"name": "x", "value": ""}},
                {"ref": {"type": "ref/resource", "uri": "echo://{x}"}, "argument": {"name": "x", "value": ""}},
            ),
        ):
            sent = (await agent.result(method, given))["echo"]["params"]
            assert {key: sent[key] for key in own} == own, method
        two = await api.server("Two")
        assert {each["server_id"] for each in (await api.json("GET", "/calls"))["calls"]} == {two}


@pytest.mark.parametrize("era", ERAS)
async def test_a_question_comes_from_the_server_of_the_tool(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing"), **asker_entries()) as (running, api),
        connected(running.base, await token(api, patience=1), "", era) as agent,
    ):
        waiting = await agent.call_tool("rounds_ask_form", {})
        (request,) = await open_requests(api)
        assert request["server_id"] == await api.server("rounds")
        await api.answer(request, action="accept", content={"name": "Ann"})
        call = (waiting.meta or {})["mcp-webclient/call"]
        result = await agent.call_tool("await_answer", {"call": call, "wait": 20})
        assert result.structured_content == {"action": "accept", "content": {"name": "Ann"}}
        # A name that only one server has is called as it is.
        assert (await agent.call_tool("echo", {})).structured_content == {"n": None}


async def test_a_failed_server_does_not_fail_the_list(tmp_path: Path) -> None:
    broken = {"label": "Broken", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        added = await api.json("POST", "/servers", 201, json=broken)
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        async with by_hand(running, await token(api), "", Era.ROUNDS) as agent:
            tools = [each["name"] for each in (await agent.result("tools/list"))["tools"]]
            assert tools == ["echo", "await_answer"]
            assert (await agent.result("tools/call", {"name": "echo"}))["structuredContent"] == {"n": None}


async def test_an_unknown_name_is_refused_in_words(tmp_path: Path) -> None:
    async with house(tmp_path, one=entry("echoing"), two=entry("echoing"), **asker_entries()) as (running, api):
        narrow = await token(api, servers=[await api.server("one"), await api.server("two")])
        async with by_hand(running, narrow, "", Era.ROUNDS) as agent:
            several = await agent.result("tools/call", {"name": "echo"})
            assert several["isError"]
            assert "one_echo, two_echo" in several["content"][0]["text"]
            for unknown in ("nothing", "ask_form", "push_ask_form", "one_nothing"):
                assert (await agent.result("tools/call", {"name": unknown}))["isError"]
            assert "error" in await agent.answer("prompts/get", {"name": "echo"})
            assert "error" in await agent.answer("vendor/unknown")
            nothing = await agent.result("tools/call", {"name": "await_answer", "arguments": {"call": "x"}})
            assert nothing["isError"]


MALFORMED: list[Json] = [
    {"name": "await_answer", "arguments": "garbage"},
    {"name": "await_answer", "arguments": {"call": ["garbage"], "wait": 10**400}},
    {"name": "await_answer", "arguments": {"call": "x" * 10_000}},
    {"name": ["ask_form"], "arguments": {}},
    {"name": "ask_form", "arguments": ["garbage"]},
    {"name": "none of them", "arguments": {}, "_meta": {"claudecode/toolUseId": {}}},
]


async def test_malformed_calls_are_refused_in_few_words(tmp_path: Path) -> None:
    async with house(tmp_path, **asker_entries()) as (running, api):
        secret = await token(api)
        for era in ERAS:
            async with by_hand(running, secret, "", era) as agent:
                await agent.begin()
                for params in MALFORMED:
                    answer = await agent.answer("tools/call", params)
                    # No internal error.
                    refused = (
                        answer["error"]["code"] not in (0, -32603) if "error" in answer else answer["result"]["isError"]
                    )
                    assert refused, (era, params)
                    assert len(json.dumps(answer)) < 1000, (era, params)


async def test_a_session_of_all_servers_is_of_no_use_to_others(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        one, two = await token(api), await token(api, "Another")
        async with by_hand(running, one, "") as agent:
            await agent.begin()
            for secret, server in ((two, ""), (one, "echoing")):
                async with by_hand(running, secret, server) as thief:
                    thief.session = agent.session
                    assert (await thief.send("tools/list")).status_code == 404
            assert (await agent.send("tools/list")).status_code == 200


async def test_the_same_call_joins_at_both_addresses(tmp_path: Path) -> None:
    async with (
        house(tmp_path, **asker_entries()) as (running, api),
        connected(running.base, secret := await token(api, patience=1), "push") as one,
        connected(running.base, secret, "") as all_servers,
    ):
        first = await one.call_tool("ask_form", {})
        second = await all_servers.call_tool("push_ask_form", {})
        assert (first.meta or {})["mcp-webclient/call"] == (second.meta or {})["mcp-webclient/call"]
        await asyncio.sleep(0)
        assert len(await open_requests(api)) == 1


def _names(**tools: list[str]) -> Names:
    servers = [Server(id=label, user_id="ada", label=label, transport={}) for label in tools]
    catalogs = [Catalog(tools=[{"name": name} for name in names]) for names in tools.values()]
    return Names(TOOLS, list(zip(servers, catalogs, strict=True)))


def test_no_server_takes_the_calls_of_another() -> None:
    names = _names(Trips=["search"], Rogue=["search", "trips_search", "other"])
    shown = [entry["name"] for entry in names.listed()]
    assert shown == ["trips_search", "rogue_search", "rogue_trips_search", "other"]
    owners = [names.owner(each) for each in shown]
    assert [(server.label, name) for server, name in owners] == [
        ("Trips", "search"),
        ("Rogue", "search"),
        ("Rogue", "trips_search"),
        ("Rogue", "other"),
    ]


def test_servers_of_one_label_are_named_by_their_ids() -> None:
    names = _names(a=["search", "await_answer"], A=["search"], Köln=["search"])
    assert [entry["name"] for entry in names.listed()] == ["sa_search", "sa_await_answer", "sA_search", "sKöln_search"]
