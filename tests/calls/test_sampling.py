"""Servers that borrow a model, with a person as the model, in both eras and over each transport."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.line import delivered
from tests.mcp_servers import stdio
from webclient.domain.model import Action, CallState, Delivery, Era, InputRequest, Json, Mode, ReasonCode, RequestState
from webclient.protocol.wire_log import Direction

pytestmark = pytest.mark.anyio

TEXT: Json = {"type": "text", "text": "What is the capital of France?"}
PARAMS: Json = {
    "messages": [{"role": "user", "content": TEXT}],
    "maxTokens": 100,
    "systemPrompt": "Be brief.",
    "modelPreferences": {"hints": [{"name": "small"}], "speedPriority": 0.5},
}
PARIS: Json = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "a person"}

every_server = pytest.mark.parametrize(
    "server", ["stdio-push", "http-push", "sse-push", "stdio-rounds", "http-rounds", "sse-rounds"]
)
round_servers = pytest.mark.parametrize("server", ["stdio-rounds", "http-rounds"])
push_servers = pytest.mark.parametrize("server", ["stdio-push", "http-push"])


def use(use_id: str, city: str) -> Json:
    return {"type": "tool_use", "id": use_id, "name": "weather", "input": {"city": city}}


def says(*content: Json, **values: Any) -> Json:
    return {"role": "assistant", "content": list(content), "model": "a person"} | values


async def sampled(rooms: House, server: str, tool: str = "sample", **arguments: Any) -> tuple[Any, InputRequest]:
    """Start a call and wait for its sampling request."""
    call = await rooms.call(server, tool, arguments)
    [request] = await rooms.pending_requests(call)
    assert request.kind == "sampling"
    return call, request


@every_server
async def test_a_person_writes_the_message(shared: House, server: str) -> None:
    """MCP 2025-11-25 and 2026-07-28, Sampling: the result has role, content, model and stopReason."""
    call, request = await sampled(shared, server, params=PARAMS)
    assert {name: request.params[name] for name in PARAMS} == PARAMS
    answered = await shared.answer(request, Action.ACCEPT, PARIS | {"stopReason": "endTurn"})
    assert answered.state is RequestState.ACCEPTED
    done = await shared.ended(call)
    assert done.state is CallState.DONE, done.error
    assert (done.result or {})["structuredContent"] == PARIS | {"stopReason": "endTurn"}
    assert (await delivered(shared, request, Delivery.DELIVERED)).content == PARIS | {"stopReason": "endTurn"}


@every_server
async def test_a_loop_of_tools_is_answered_by_hand(shared: House, server: str) -> None:
    """Sampling with tools: parallel uses, their results in the next request, then a text; `_meta` is kept (S11)."""
    call, request = await sampled(shared, server, "sample_loop", task="Where is it warm?")
    uses = [use("a", "Bern") | {"_meta": {"mark": 1}}, use("b", "Rome")]
    await shared.answer(request, Action.ACCEPT, says(*uses, stopReason="toolUse"))
    await shared.settled(request)
    [second] = await shared.pending_requests(call)
    assert second.params["messages"][1] == {"role": "assistant", "content": uses}
    assert [block["toolUseId"] for block in second.params["messages"][2]["content"]] == ["a", "b"]
    await shared.answer(second, Action.ACCEPT, says({"type": "text", "text": "In Rome"}))
    done = await shared.ended(call)
    assert (done.state, (done.result or {})["content"][0]["text"]) == (CallState.DONE, "In Rome")


@push_servers
@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_declined_message_is_error_minus_one(shared: House, server: str, action: Action) -> None:
    """S8. MCP 2025-11-25, Sampling, Error Handling: a user who rejects is error -1."""
    call, request = await sampled(shared, server, "sample_or_tell", params=PARAMS)
    await shared.answer(request, action)
    done = await shared.ended(call)
    said = (done.result or {})["content"][0]["text"]
    assert said.startswith("-1 ")
    assert (said == "-1 User rejected sampling request") is (action is Action.DECLINE)


@round_servers
@pytest.mark.parametrize(
    ("action", "code"),
    [(Action.DECLINE, ReasonCode.SAMPLING_DECLINED), (Action.CANCEL, ReasonCode.SAMPLING_UNANSWERED)],
)
async def test_declining_in_a_round_ends_the_call_unsent(
    shared: House, server: str, action: Action, code: ReasonCode
) -> None:
    """S9. MCP 2026-07-28, Sampling: a decline has no form, so the call is not made again."""
    call, request = await sampled(shared, server, params=PARAMS)
    await shared.answer(request, action)
    ended = await shared.ended(call)
    assert (ended.state, ended.reason_code) == (CallState.CANCELLED, code)
    messages = shared.services.wire_logs.of((await shared.server(server)).key).messages
    sent = [each for each in messages if each.direction is Direction.SENT and call.id in each.call_ids]
    assert [each.method for each in sent] == ["tools/call"]


@round_servers
async def test_a_decline_ends_the_other_questions_of_its_round(shared: House, server: str) -> None:
    """S9. The other requests of the round end with the call, and say why."""
    call = await shared.call(server, "sample_and_form", {"params": PARAMS})
    both = {each.kind: each for each in await shared.pending_requests(call, 2)}
    await shared.answer(both["sampling"], Action.DECLINE)
    assert (await shared.ended(call)).reason_code is ReasonCode.SAMPLING_DECLINED
    assert (await shared.settled(both["form"])).state is RequestState.WITHDRAWN


@pytest.mark.parametrize(("era", "state"), [(Era.PUSH, CallState.DONE), (Era.ROUNDS, CallState.FAILED)])
async def test_sampling_that_is_switched_off_is_refused(tmp_path: Path, era: Era, state: CallState) -> None:
    """S1, S2. Capabilities: not declared is not used; a pushed request gets -32601."""
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        server = await rooms.connected("it")
        await rooms.services.servers.change(replace(server, modes=(Mode.FORM,)))
        await rooms.connected("it")
        tool = "sample_or_tell" if era is Era.PUSH else "sample"
        ended = await rooms.ended(await rooms.call("it", tool, {"params": PARAMS}))
        assert ended.state is state
        found = await rooms.services.store.of("local").requests.find(call_id=ended.id)
        if found:
            assert [(each.state, each.reason_code) for each in found] == [
                (RequestState.REFUSED, ReasonCode.SAMPLING_OFF)
            ]


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_muted_server_gets_no_message(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        await rooms.services.servers.mute(await rooms.connected("it"))
        tool = "sample_or_tell" if era is Era.PUSH else "sample"
        ended = await rooms.ended(await rooms.call("it", tool, {"params": PARAMS}))
        if era is Era.PUSH:
            assert (ended.result or {})["content"][0]["text"].startswith("-1 ")
        else:
            assert (ended.state, ended.reason_code) == (CallState.CANCELLED, ReasonCode.SAMPLING_UNANSWERED)


@push_servers
async def test_a_request_that_breaks_a_rule_gets_an_error(shared: House, server: str) -> None:
    """S7. Error Handling: -32602, with the words of the specification, and the person sees why."""
    mixed = [{"type": "tool_result", "toolUseId": "u", "content": []}, TEXT]
    bad = PARAMS | {"messages": [{"role": "user", "content": mixed}]}
    done = await shared.ended(await shared.call(server, "sample_or_tell", {"params": bad}))
    assert (done.result or {})["content"][0]["text"] == "-32602 Tool results mixed with other content"
    [refused] = await shared.services.store.of("local").requests.find(call_id=done.id)
    assert (refused.state, refused.reason_code) == (RequestState.REFUSED, ReasonCode.SAMPLING_RESULTS_MIXED)


async def test_a_conversation_may_be_larger_than_a_form(shared: House) -> None:
    image = {"type": "image", "data": "QUJD" * 200_000, "mimeType": "image/png"}
    params = PARAMS | {"messages": [{"role": "user", "content": [TEXT, image]}]}
    call, request = await sampled(shared, "http-push", params=params)
    await shared.answer(request, Action.ACCEPT, PARIS)
    assert (await shared.ended(call)).state is CallState.DONE


async def test_a_round_with_sampling_survives_a_restart(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker", "--state-key", "k" * 32), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        call, request = await sampled(rooms, "it", "sample_loop", task="Where is it warm?")
        assert call.id == request.call_id
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        await rooms.answer(request, Action.ACCEPT, says({"type": "text", "text": "In Rome"}))
        assert (await rooms.ended(call)).state is CallState.DONE
