"""Agents that are asked and give garbage, are late, or go away: the question stays in the inbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.agents import ByHand, by_hand, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import asker_entries
from tests.program import Api, Program
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = [Era.PUSH, Era.ROUNDS]
CAPABILITIES: Json = {"elicitation": {}, "sampling": {}, "roots": {}}
FORM: Json = {"name": "ask_form", "arguments": {}}
BEA: Json = {"action": "accept", "content": {"name": "Bea"}}
SAMPLE: Json = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 5}


@asynccontextmanager
async def _place(folder: Path, server: str = "push") -> AsyncIterator[tuple[Program, Api, str]]:
    """Start the program with a server, and give the secret of an agent that is asked."""
    async with house(folder, it=asker_entries()[server] | {"roots": []}) as (running, api):
        yield running, api, await token(api, pass_on=True, patience=60)


@asynccontextmanager
async def _agent(running: Program, secret: str, era: Era) -> AsyncIterator[ByHand]:
    async with by_hand(running, secret, "it", era) as agent:
        agent.capabilities = CAPABILITIES
        await agent.begin()
        yield agent


def _form(about: object) -> Json:
    """Return the parameters of a call of its own, with a message about something."""
    return FORM | {"arguments": {"message": str(about) or "nothing"}}


async def _stays(api: Api, request: Json) -> None:
    """Check that a question is still open a moment later."""
    await asyncio.sleep(0.5)
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"


GARBAGE: list[Any] = [
    {"result": {}},
    {"result": []},
    {"result": "yes"},
    {"result": None},
    {"result": {"action": "explode"}},
    {"result": {"action": ["accept"], "content": {"name": "Ann"}}},
    {"result": {"action": "accept"}},
    {"result": {"action": "accept", "content": None}},
    {"result": {"action": "accept", "content": ["Ann"]}},
    {"result": {"action": "accept", "content": {"name": None}}},
    {"result": {"action": "accept", "content": {"name": {"first": "Ann"}}}},
    {"result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "no"}}},
    {"error": {"code": -1, "message": "x"}},
    {"error": "broken"},
    {},
]


async def test_garbage_on_the_stream_leaves_the_question(tmp_path: Path) -> None:
    async with _place(tmp_path) as (running, api, secret), _agent(running, secret, Era.PUSH) as agent:
        for garbage in GARBAGE:
            async with agent.on_stream("tools/call", _form(garbage)) as messages:
                elicitation = await anext(messages)
                assert elicitation["method"] == "elicitation/create"
                message = {"jsonrpc": "2.0", "id": elicitation["id"]} | garbage
                assert await agent.respond(message) in (202, 400), garbage
                (request,) = await open_requests(api)
                await _stays(api, request)
                await api.answer(request, **BEA)
                last = [message async for message in messages][-1]
                assert last["result"]["structuredContent"] == BEA, garbage


ANSWERS: list[Any] = [
    [],
    "yes",
    None,
    {"unknown": BEA},
    {"ID": []},
    {"ID": "yes"},
    {"ID": None},
    {"ID": {}},
    {"ID": {"action": "explode"}},
    {"ID": {"action": "accept", "content": {"name": 7}}},
    {"ID": {"action": "cancel"}},
]


async def test_garbage_in_a_round_leaves_the_question(tmp_path: Path) -> None:
    async with _place(tmp_path) as (running, api, secret), _agent(running, secret, Era.ROUNDS) as agent:
        for given in ANSWERS:
            form = _form(given)
            required = await agent.result("tools/call", form)
            assert required["resultType"] == "input_required"
            (request_id,) = required["inputRequests"]
            answers = {key.replace("ID", request_id): given[key] for key in given} if isinstance(given, dict) else given
            again = form | {"inputResponses": answers, "requestState": required["requestState"]}
            calling = asyncio.create_task(agent.answer("tools/call", again))
            (request,) = await open_requests(api)
            await _stays(api, request)
            await api.answer(request, **BEA)
            answer = await calling
            # What the SDK refuses before it comes here is lost, and the next call takes the result up.
            result = answer.get("result") or await agent.result("tools/call", form)
            assert result["structuredContent"] == BEA, given


async def test_a_wrong_state_answers_nothing(tmp_path: Path) -> None:
    async with _place(tmp_path) as (running, api, secret), _agent(running, secret, Era.ROUNDS) as agent:
        for state in (None, 7, "unknown", ["x"]):
            form = _form(state)
            required = await agent.result("tools/call", form)
            (request_id,) = required["inputRequests"]
            again = form | {"inputResponses": {request_id: BEA}, "requestState": state}
            calling = asyncio.create_task(agent.answer("tools/call", again))
            (request,) = await open_requests(api)
            await _stays(api, request)
            await api.answer(request, action="decline")
            await calling


async def test_an_agent_cannot_answer_for_another(tmp_path: Path) -> None:
    # Of a server that pushes, a question during two calls may belong to either, and goes to the inbox alone.
    async with _place(tmp_path, "rounds") as (running, api, secret), _agent(running, secret, Era.ROUNDS) as agent:
        required = await agent.result("tools/call", FORM)
        (request_id,) = required["inputRequests"]
        thief_secret = await token(api, "Thief", pass_on=True, patience=1)
        async with _agent(running, thief_secret, Era.ROUNDS) as thief:
            again = FORM | {"inputResponses": {request_id: BEA}, "requestState": required["requestState"]}
            stolen = await thief.result("tools/call", again)
            # It has a call of its own, with another question.
            assert stolen["requestState"] != required["requestState"]
            assert request_id not in stolen["inputRequests"]
        assert (await api.json("GET", f"/requests/{request_id}"))["state"] == "pending"


async def test_a_late_answer_of_a_round_gets_the_result(tmp_path: Path) -> None:
    """The person was first: the agent gets what has become of the call, and its own answer counts for nothing."""
    async with _place(tmp_path) as (running, api, secret), _agent(running, secret, Era.ROUNDS) as agent:
        required = await agent.result("tools/call", FORM)
        (request_id,) = required["inputRequests"]
        (request,) = await open_requests(api)
        await api.answer(request, **BEA)
        late: Json = {"action": "accept", "content": {"name": "Ann"}}
        again = FORM | {"inputResponses": {request_id: late}, "requestState": required["requestState"]}
        assert (await agent.result("tools/call", again))["structuredContent"] == BEA
        settled = await api.json("GET", f"/requests/{request_id}")
        assert (settled["state"], settled["via"]) == ("accepted", "api")
        assert len((await api.json("GET", "/calls"))["calls"]) == 1


async def test_a_late_answer_on_the_stream_is_dropped(tmp_path: Path) -> None:
    async with (
        _place(tmp_path) as (running, api, secret),
        _agent(running, secret, Era.PUSH) as agent,
        agent.on_stream("tools/call", FORM) as messages,
    ):
        elicitation = await anext(messages)
        (request,) = await open_requests(api)
        await api.answer(request, **BEA)
        last = [message async for message in messages]
        # It hears that it is not asked any more, and gets the result.
        assert [each.get("method") for each in last] == ["notifications/cancelled", None]
        assert last[0]["params"]["requestId"] == elicitation["id"]
        assert last[-1]["result"]["structuredContent"] == BEA
        late = {"action": "accept", "content": {"name": "Ann"}}
        assert await agent.respond({"jsonrpc": "2.0", "id": elicitation["id"], "result": late}) == 202
        assert (await api.json("GET", f"/requests/{request['id']}"))["via"] == "api"
        assert "tools" in await agent.result("tools/list")


async def test_an_agent_that_leaves_finds_the_answer(tmp_path: Path) -> None:
    async with _place(tmp_path) as (running, api, secret):
        async with _agent(running, secret, Era.PUSH) as agent, agent.on_stream("tools/call", FORM) as messages:
            assert (await anext(messages))["method"] == "elicitation/create"
        (request,) = await open_requests(api)
        await _stays(api, request)
        async with _agent(running, secret, Era.PUSH) as back, back.on_stream("tools/call", FORM) as messages:
            await api.answer(request, **BEA)
            assert (await anext(messages))["result"]["structuredContent"] == BEA
        assert len((await api.json("GET", "/calls"))["calls"]) == 1


MISFITS: list[Json] = [{}, {"role": "assistant", "model": "m", "content": 7}]


async def test_a_message_that_does_not_fit_stays(tmp_path: Path) -> None:
    async with _place(tmp_path) as (running, api, secret):
        for number, given in enumerate(MISFITS, 5):
            # Another call each time: an equal one would get the result that no agent has fetched.
            call = _sample(number)
            async with _agent(running, secret, Era.PUSH) as agent, agent.on_stream("tools/call", call) as messages:
                elicitation = await anext(messages)
                await agent.respond({"jsonrpc": "2.0", "id": elicitation["id"], "result": given})
                await _stays_and_is_declined(api)
            call = _sample(10 * number)
            async with _agent(running, secret, Era.ROUNDS) as agent:
                required = await agent.result("tools/call", call)
                answers = dict.fromkeys(required["inputRequests"], given)
                again = call | {"inputResponses": answers, "requestState": required["requestState"]}
                calling = asyncio.create_task(agent.send("tools/call", again))
                await _stays_and_is_declined(api)
                await calling


def _sample(tokens: int) -> Json:
    return {"name": "sample", "arguments": {"params": SAMPLE | {"maxTokens": tokens}}}


async def _stays_and_is_declined(api: Api) -> None:
    """Check that the one question stays open, then make room for the next."""
    (request,) = await open_requests(api)
    await _stays(api, request)
    await api.answer(request, action="decline")


async def test_folders_that_make_no_sense_are_not_passed(tmp_path: Path) -> None:
    """The server gets only the folders that the user shares, which are none here."""
    call: Json = {"name": "ask_roots", "arguments": {}}
    nonsense: list[Json] = [{"roots": "all"}, {"roots": [{"uri": 7}]}]
    async with _place(tmp_path) as (running, _api, secret), _agent(running, secret, Era.PUSH) as agent:
        for given in nonsense:
            async with agent.on_stream("tools/call", call) as messages:
                elicitation = await anext(messages)
                assert elicitation["method"] == "roots/list"
                await agent.respond({"jsonrpc": "2.0", "id": elicitation["id"], "result": given})
                async with asyncio.timeout(60):
                    last = [message async for message in messages][-1]
            assert last["result"]["structuredContent"]["roots"] == {"roots": []}, given
