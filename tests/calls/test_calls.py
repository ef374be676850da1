"""Calls against the asking server over every transport in both eras."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house import ALL_SERVERS, PUSH_SERVERS, ROUND_SERVERS, House, config, house
from tests.mcp_servers import stdio
from webclient.calls.rounds import MAX_UNANSWERED_ROUNDS
from webclient.errors import ConflictError
from webclient.inbox.unanswered import Unanswered
from webclient.model import Action, CallKind, CallState, Delivery, Era, ReasonCode, RequestState

pytestmark = pytest.mark.anyio

every_server = pytest.mark.parametrize("server", ALL_SERVERS)
push_servers = pytest.mark.parametrize("server", PUSH_SERVERS)
round_servers = pytest.mark.parametrize("server", ROUND_SERVERS)


@every_server
async def test_an_accepted_form_reaches_the_server_with_its_json_types(shared: House, server: str) -> None:
    content = {"text": "né ☃", "number": 1.5, "whole": 3, "yes": False, "many": ["a", "b"]}
    schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "number": {"type": "number"},
            "whole": {"type": "integer"},
            "yes": {"type": "boolean"},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
            "untouched": {"type": "string"},
        },
    }
    call = await shared.call(server, "ask_form", {"schema": schema, "message": "All of it?"})
    [request] = await shared.asked(call)
    assert request.params["requestedSchema"] == schema
    await shared.answer(request, Action.ACCEPT, content)
    done = await shared.ended(call)
    assert done.state is CallState.DONE
    assert _structured(done.result) == {"action": "accept", "content": content}


@every_server
@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_refusal_reaches_the_server_without_content(shared: House, server: str, action: Action) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.asked(call)
    answered = await shared.answer(request, action, {"name": "not to be sent"})
    assert answered.content is None
    assert _structured((await shared.ended(call)).result) == {"action": action}


@every_server
async def test_a_call_says_that_it_waits_for_a_person(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.asked(call)
    waiting = await shared.services.store.of("local").calls.get(call.id)
    assert waiting.state in (CallState.RUNNING, CallState.INPUT_REQUIRED)

    async def look() -> bool:
        return (await shared.services.store.of("local").calls.get(call.id)).state is CallState.INPUT_REQUIRED

    await shared.until(look)
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@push_servers
async def test_several_pushed_questions_are_pending_at_once_and_answered_in_any_order(
    shared: House, server: str
) -> None:
    call = await shared.call(server, "ask_many", {"n": 3})
    requests = await shared.asked(call, 3)
    for request in reversed(requests):
        await shared.answer(request, Action.ACCEPT, {"name": request.params["message"]})
    answers = _structured((await shared.ended(call)).result)
    assert {key: answer["content"]["name"] for key, answer in answers.items()} == {
        f"question{n}": f"Question {n} of 3" for n in (1, 2, 3)
    }


@round_servers
async def test_the_questions_of_a_round_stand_together_and_go_out_together(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_many", {"n": 3})
    requests = await shared.asked(call, 3)
    assert [(each.round, each.position, each.total) for each in requests] == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    for request in reversed(requests):
        assert not (await shared.services.store.of("local").calls.get(call.id)).state.ended
        await shared.answer(request, Action.ACCEPT, {"name": request.params["message"]})
    answers = _structured((await shared.ended(call)).result)
    assert {answer["content"]["name"] for answer in answers.values()} == {f"Question {n} of 3" for n in (1, 2, 3)}


@round_servers
async def test_request_state_is_echoed_through_several_rounds(shared: House, server: str) -> None:
    """The server seals its state: one altered byte and it would refuse the next round."""
    call = await shared.call(server, "ask_rounds", {"n": 4})
    for number in range(1, 5):
        [request] = await shared.asked(call)
        assert request.round == number
        await shared.answer(request, Action.ACCEPT, {"name": f"round {number}"})
        await shared.settled(request)
    answers = _structured((await shared.ended(call)).result)["answers"]
    assert [answer["content"]["name"] for answer in answers] == [f"round {n}" for n in range(1, 5)]


async def test_rounds_that_a_person_answers_have_no_limit(shared: House) -> None:
    rounds = 2 * MAX_UNANSWERED_ROUNDS + 1
    call = await shared.call("http-rounds", "ask_rounds", {"n": rounds})
    for number in range(1, rounds + 1):
        [request] = await shared.asked(call)
        assert request.round == number
        await shared.answer(request, (Action.ACCEPT, Action.DECLINE, Action.CANCEL)[number % 3], {"name": "again"})
        await shared.settled(request)
    done = await shared.ended(call)
    assert (done.state, len(_structured(done.result)["answers"])) == (CallState.DONE, rounds)


async def test_a_call_is_cancelled_between_any_two_rounds(shared: House) -> None:
    call = await shared.call("http-rounds", "ask_forever")
    for _round in range(MAX_UNANSWERED_ROUNDS + 1):
        [request] = await shared.asked(call)
        await shared.answer(request, Action.DECLINE)
        await shared.settled(request)
    [request] = await shared.asked(call)
    await shared.services.calls.cancel(await shared.services.store.of("local").calls.get(call.id))
    assert (await shared.ended(call)).state is CallState.CANCELLED
    assert (await shared.settled(request)).state is RequestState.CANCELLED


async def test_rounds_that_nobody_answers_end_the_call(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker"), Era.ROUNDS)]
    async with house(tmp_path, servers, deadline_rounds=0.01) as rooms:
        await rooms.connected("it")
        failed = await rooms.ended(await rooms.call("it", "ask_forever"))
        assert failed.state is CallState.FAILED
        assert f"{MAX_UNANSWERED_ROUNDS} times" in (failed.error or {})["message"]
        asked = await rooms.services.store.of("local").requests.find(call_id=failed.id)
        assert [each.state for each in asked] == [RequestState.EXPIRED] * MAX_UNANSWERED_ROUNDS


@round_servers
async def test_a_round_that_asks_for_what_was_not_offered_fails_in_the_open(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_everything")
    failed = await shared.ended(call)
    assert failed.state is CallState.FAILED
    assert "does not offer" in (failed.error or {})["message"]
    refused = await shared.services.store.of("local").requests.find(call_id=call.id)
    assert {request.kind for request in refused} == {"sampling", "roots"}
    assert {request.state for request in refused} == {RequestState.REFUSED}


@round_servers
async def test_a_server_that_can_only_push_is_told_of_with_the_way_out(shared: House, server: str) -> None:
    failed = await shared.ended(await shared.call(server, "push_only"))
    assert failed.state is CallState.FAILED
    assert (failed.error or {})["reconnect_with"] == "2025-11-25"


async def test_over_http_a_question_finds_its_call_among_several(shared: House) -> None:
    """Relies on undocumented behaviour of the SDK: it carries the sender's context to the callback."""
    calls = [await shared.call("http-push", "ask_form", {"message": f"for {n}"}) for n in range(4)]
    for number, call in enumerate(calls):
        [request] = await shared.asked(call)
        assert request.params["message"] == f"for {number}"
        await shared.answer(request, Action.CANCEL)
        await shared.ended(call)


@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_where_the_protocol_does_not_tell_the_call_is_unknown(shared: House, server: str) -> None:
    sleeper = await shared.call(server, "sleep_until_cancelled", {"name": f"unknown-{server}"})
    asker = await shared.call(server, "ask_form")
    request = await shared.asked_by(server)
    assert (request.call_id, request.during) == (None, None)
    await shared.answer(request, Action.CANCEL)
    await shared.ended(asker)
    await shared.services.calls.cancel(sleeper)


@push_servers
async def test_with_one_call_in_flight_the_question_belongs_to_it(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form", {"message": "whose?"})
    request = await shared.asked_by(server)
    assert request.call_id == call.id
    assert request.during
    assert (request.during.name, request.during.arguments) == ("ask_form", {"message": "whose?"})
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_a_call_that_has_returned_and_is_still_cleared_up_after_is_not_taken_for_the_one_that_asks(
    shared: House, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared = asyncio.Event()
    monkeypatch.setattr(Unanswered, "end", lambda *_call, **_how: cleared.wait())
    await shared.ended(await shared.call(server, "structured"))
    call = await shared.call(server, "ask_form")
    request = await shared.asked_by(server)
    assert request.call_id == call.id
    cleared.set()
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@push_servers
async def test_a_question_that_the_server_takes_back_is_withdrawn(shared: House, server: str) -> None:
    name = f"withdrawn-{server}"
    call = await shared.call(server, "ask_then_cancel", {"name": name})
    [request] = await shared.asked(call)
    release = await shared.call(server, "release", {"name": name})
    withdrawn = await shared.settled(request)
    assert withdrawn.state is RequestState.WITHDRAWN
    assert withdrawn.reason_code is ReasonCode.WITHDRAWN
    await shared.ended(release)
    assert (await shared.ended(call)).state is CallState.DONE


@push_servers
@pytest.mark.parametrize(
    ("action", "how", "state"),
    [
        (Action.ACCEPT, "result", CallState.DONE),
        (Action.DECLINE, "error", CallState.FAILED),
        (Action.CANCEL, "result", CallState.DONE),
    ],
)
async def test_a_question_that_outlives_its_call_is_answered(
    shared: House, server: str, action: Action, how: str, state: CallState
) -> None:
    name = f"outlived-{server}-{action}"
    call = await shared.call(server, "ask_and_return", {"name": name, "how": how})
    [request] = await shared.asked(call)
    assert request.reason is None
    await shared.ended(await shared.call(server, "release", {"name": name}))
    assert (await shared.ended(call)).state is state
    assert (await shared.remarked(request)).call_id == call.id
    answered = await shared.answer(request, action, {"name": "Ada"} if action is Action.ACCEPT else None)
    assert answered.reason is None
    heard = await shared.ended(await shared.call(server, "was_answered", {"name": name}))
    expected = {"action": action} | ({"content": {"name": "Ada"}} if action is Action.ACCEPT else {})
    assert _structured(heard.result) == expected

    async def delivered() -> bool:
        return (await shared.services.store.of("local").requests.get(request.id)).delivery is Delivery.DELIVERED

    await shared.until(delivered)
    assert (await shared.services.store.of("local").calls.get(call.id)).state is state


# Over streamable HTTP the SDK of the server tells it on the stream of the call, which has ended.
@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_a_question_that_outlives_its_call_can_be_taken_back(shared: House, server: str) -> None:
    name = f"outlived-{server}-taken-back"
    call = await shared.call(server, "ask_and_return", {"name": name})
    [request] = await shared.asked(call)
    await shared.ended(await shared.call(server, "release", {"name": name}))
    await shared.ended(call)
    await shared.remarked(request)
    await shared.ended(await shared.call(server, "take_back", {"name": name}))
    assert (await shared.settled(request)).state is RequestState.WITHDRAWN


@every_server
async def test_a_cancelled_call_takes_its_questions_along(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.asked(call)
    cancelled = await shared.services.calls.cancel(await shared.services.store.of("local").calls.get(call.id))
    assert cancelled.state is CallState.CANCELLED
    settled = await shared.settled(request)
    assert (settled.state, settled.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)
    with pytest.raises(ConflictError, match="has ended"):
        await shared.services.calls.cancel(cancelled)


@every_server
async def test_the_server_learns_of_a_cancelled_call(shared: House, server: str) -> None:
    name = f"cancelled-{server}"
    call = await shared.call(server, "sleep_until_cancelled", {"name": name})

    async def started() -> bool:
        look = await shared.ended(await shared.call(server, "was_cancelled", {"name": name}))
        return _structured(look.result) is not None

    assert await started()
    await shared.services.calls.cancel(call)
    asked = await shared.ended(await shared.call(server, "was_cancelled", {"name": name}))
    assert asked.state is CallState.DONE


@every_server
async def test_prompts_and_resources_may_ask_as_well(shared: House, server: str) -> None:
    asking = (
        (CallKind.PROMPT, "asking_prompt", {"topic": "trees"}),
        (CallKind.RESOURCE, "ask://trees", None),
    )
    for kind, name, arguments in asking:
        call = await shared.services.calls.start(
            "local", await shared.server(server), kind=kind, name=name, arguments=arguments
        )
        [request] = await shared.asked(call)
        await shared.answer(request, Action.ACCEPT, {"name": "Ada"})
        done = await shared.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "Ada" in str(done.result)


@every_server
async def test_progress_is_shown_while_a_call_runs(shared: House, server: str) -> None:
    done = await shared.ended(await shared.call(server, "progress", {"steps": 3}))
    assert done.progress
    assert done.progress["progress"] == done.progress["total"]


@every_server
async def test_an_error_of_the_tool_is_a_result_and_says_so(shared: House, server: str) -> None:
    done = await shared.ended(await shared.call(server, "fail", {"message": "It rains."}))
    assert done.state is CallState.DONE
    assert done.result
    assert done.result["isError"] is True
    assert "It rains." in done.result["content"][0]["text"]


@every_server
async def test_a_call_can_be_started_again(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form", {"message": "again?"})
    [request] = await shared.asked(call)
    await shared.answer(request, Action.DECLINE)
    again = await shared.services.calls.retry(await shared.ended(call))
    [request] = await shared.asked(again)
    assert (again.id != call.id, request.params["message"]) == (True, "again?")
    await shared.answer(request, Action.DECLINE)
    await shared.ended(again)


def _structured(result: Any) -> Any:
    return result["structuredContent"]
