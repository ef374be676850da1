"""Tool loops of real servers in both eras, with a model, a person or the rule of the server at each turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Action, CallState, Era, InputRequest, Json, ReasonCode, SamplingRule, Stage, Via
from webclient.inbox import check_answer
from webclient.sampling.llm import ModelInfo, Reply, ScriptedModel

pytestmark = pytest.mark.anyio

MODEL = ScriptedModel(
    ModelInfo(id="small", label="Small", name="small"),
    [
        Reply(turn=1, text="Let me look.", uses=[("weather", {"city": "Bern"}), ("weather", {"city": "Rome"})]),
        Reply(turn=2, uses=[("weather", {"city": "Oslo"})]),
        Reply(turn=3, text="{results} Go there."),
    ],
)
SERVERS = [config("push", stdio("asker"), Era.PUSH), config("rounds", stdio("asker"), Era.ROUNDS)]
TASK: Json = {"task": "Where is it warm?"}
eras = pytest.mark.parametrize("name", ["push", "rounds"])


async def reviewed(rooms: House, request: InputRequest) -> InputRequest:
    """Wait until a message is under review."""

    async def look() -> InputRequest | None:
        newest = await rooms.services.store.of("local").requests.get(request.id)
        return newest if newest.sampling and newest.sampling.stage is Stage.REVIEWING else None

    return await rooms.until(look)


async def ruled(rooms: House, name: str, rule: SamplingRule) -> None:
    """Connect the server, and set the rule for it."""
    await rooms.services.servers.change(replace(await rooms.connected(name), sampling=rule))


@eras
@pytest.mark.smoke
async def test_a_loop_is_one_conversation_reviewed_turn_by_turn(tmp_path: Path, name: str) -> None:
    """S3, S10, S12. Each turn shows what is new; an answer that the person edited comes back as edited."""
    async with house(tmp_path, SERVERS, models=[MODEL]) as rooms:
        await rooms.connected(name)
        call = await rooms.call(name, "sample_loop", TASK)
        places = []
        for turn in (1, 2, 3):
            [request] = await rooms.pending_requests(call)
            await rooms.services.sampling.generate(request)
            newest = await reviewed(rooms, request)
            assert newest.sampling
            result = newest.sampling.result or {}
            if turn == 1:
                result = result | {"content": result["content"][:2], "model": "edited"}
            places.append((newest.sampling.conversation, newest.sampling.turn, newest.sampling.seen))
            await rooms.services.inbox.answer(await check_answer(newest, Action.ACCEPT, result))
            await rooms.settled(request)
        done = await rooms.ended(call)
        assert (done.result or {})["content"][0]["text"] == "It is sunny in Oslo. Go there."
        assert [place[1:] for place in places] == [(1, 0), (2, 2), (3, 4)]
        assert len({place[0] for place in places}) == 1
        edited = newest.params["messages"][1]["content"]
        assert [block["type"] for block in edited] == ["text", "tool_use"]


@eras
async def test_a_rule_answers_a_loop_within_its_limits(tmp_path: Path, name: str) -> None:
    """The person's rule sends requests and messages; the turn beyond the limit waits for the person."""
    async with house(tmp_path, SERVERS, models=[MODEL]) as rooms:
        await ruled(rooms, name, SamplingRule(approve=True, unseen=True))
        done = await rooms.ended(await rooms.call(name, "sample_loop", TASK))
        assert done.state is CallState.DONE
        found = await rooms.services.store.of("local").requests.find(call_id=done.id)
        assert [each.via for each in found] == [Via.RULE] * 3
        await ruled(rooms, name, SamplingRule(approve=True, unseen=True, turns=2))
        call = await rooms.call(name, "sample_loop", TASK)

        async def limited() -> InputRequest | None:
            pending = await rooms.services.store.of("local").requests.find(state="pending", call_id=call.id)
            return next((each for each in pending if each.sampling and each.sampling.failure), None)

        request = await rooms.until(limited)
        assert request.sampling
        assert (request.sampling.turn, request.sampling.failure and request.sampling.failure.code) == (
            3,
            ReasonCode.SAMPLING_TURN_LIMIT,
        )
        await rooms.answer(request, Action.DECLINE)
        await rooms.ended(call)


@eras
async def test_approved_turns_run_by_themselves_and_are_shown(tmp_path: Path, name: str) -> None:
    async with house(tmp_path, SERVERS, models=[MODEL]) as rooms:
        await rooms.connected(name)
        call = await rooms.call(name, "sample_loop", TASK)
        [request] = await rooms.pending_requests(call)
        await rooms.services.sampling.generate(request, approve_turns=1)
        newest = await reviewed(rooms, request)
        await rooms.services.inbox.answer(await check_answer(newest, Action.ACCEPT))
        await rooms.settled(request)
        [second] = await rooms.pending_requests(call)
        second = await reviewed(rooms, second)
        await rooms.services.inbox.answer(await check_answer(second, Action.ACCEPT))
        await rooms.settled(second)
        [third] = await rooms.pending_requests(call)
        await rooms.services.sampling.idle()
        newest = await rooms.services.store.of("local").requests.get(third.id)
        assert newest.sampling
        assert (newest.sampling.stage, newest.sampling.approved) == (Stage.PENDING, False)
        await rooms.answer(third, Action.DECLINE)
        await rooms.ended(call)
