"""A driven call asks, sends and receives, over every transport in both eras."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.house import ALL_SERVERS, PUSH_SERVERS, ROUND_SERVERS, House, config, house
from tests.line import newest_child
from tests.mcp_servers import STATE_KEY, stdio
from webclient.calls.rounds import MAX_UNANSWERED_ROUNDS
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import Action, CallKind, CallState, Delivery, Era, ReasonCode, RequestState
from webclient.servers.connections.connection import Connection

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
    [request] = await shared.pending_requests(call)
    assert request.params["requestedSchema"] == schema
    await shared.answer(request, Action.ACCEPT, content)
    done = await shared.ended(call)
    assert done.state is CallState.DONE
    assert _structured(done.result) == {"action": "accept", "content": content}


@every_server
@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_refusal_reaches_the_server_without_content(shared: House, server: str, action: Action) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.pending_requests(call)
    answered = await shared.answer(request, action, {"name": "not to be sent"})
    assert answered.content is None
    assert _structured((await shared.ended(call)).result) == {"action": action}


@every_server
async def test_a_call_says_that_it_waits_for_a_person(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.pending_requests(call)
    waiting = await shared.services.store.of("local").calls.get(call.id)
    assert waiting.state in (CallState.RUNNING, CallState.INPUT_REQUIRED)

    async def look() -> bool:
        return (await shared.services.store.of("local").calls.get(call.id)).state is CallState.INPUT_REQUIRED

    await shared.until(look)
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@push_servers
async def test_pushed_questions_are_answered_in_any_order(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_many", {"n": 3})
    requests = await shared.pending_requests(call, 3)
    for request in reversed(requests):
        await shared.answer(request, Action.ACCEPT, {"name": request.params["message"]})
    answers = _structured((await shared.ended(call)).result)
    assert {key: answer["content"]["name"] for key, answer in answers.items()} == {
        f"request{n}": f"Question {n} of 3" for n in (1, 2, 3)
    }


@round_servers
async def test_the_answers_of_a_round_are_sent_together(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_many", {"n": 3})
    requests = await shared.pending_requests(call, 3)
    assert [(each.round, each.position, each.total) for each in requests] == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    for request in reversed(requests):
        assert not (await shared.services.store.of("local").calls.get(call.id)).state.ended
        await shared.answer(request, Action.ACCEPT, {"name": request.params["message"]})
    answers = _structured((await shared.ended(call)).result)
    assert {answer["content"]["name"] for answer in answers.values()} == {f"Question {n} of 3" for n in (1, 2, 3)}


@round_servers
async def test_a_changed_answer_is_sent_in_place_of_the_first(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_many", {"n": 2})
    first, second = await shared.pending_requests(call, 2)
    saved = await shared.answer(first, Action.ACCEPT, {"name": "too early"})
    assert saved.delivery is Delivery.SAVED
    reopened = await shared.services.inbox.reopen("local", first.id)
    assert (reopened.state, reopened.content) == (RequestState.PENDING, None)
    # The other is the last one only for who has not seen that the first is pending again.
    await shared.answer(second, Action.ACCEPT, {"name": "two"})
    assert not (await shared.services.store.of("local").calls.get(call.id)).state.ended
    await shared.answer(reopened, Action.ACCEPT, {"name": "one"})
    answers = _structured((await shared.ended(call)).result)
    assert {answer["content"]["name"] for answer in answers.values()} == {"one", "two"}
    with pytest.raises(AlreadySettledError):
        await shared.services.inbox.reopen("local", first.id)


@round_servers
async def test_request_state_is_echoed_through_several_rounds(shared: House, server: str) -> None:
    """The server seals its state: one altered byte and it would refuse the next round."""
    call = await shared.call(server, "ask_rounds", {"n": 4})
    for number in range(1, 5):
        [request] = await shared.pending_requests(call)
        assert request.round == number
        await shared.answer(request, Action.ACCEPT, {"name": f"round {number}"})
        await shared.settled(request)
    answers = _structured((await shared.ended(call)).result)["answers"]
    assert [answer["content"]["name"] for answer in answers] == [f"round {n}" for n in range(1, 5)]


async def test_rounds_that_a_person_answers_have_no_limit(shared: House) -> None:
    rounds = 2 * MAX_UNANSWERED_ROUNDS + 1
    call = await shared.call("http-rounds", "ask_rounds", {"n": rounds})
    for number in range(1, rounds + 1):
        [request] = await shared.pending_requests(call)
        assert request.round == number
        await shared.answer(request, (Action.ACCEPT, Action.DECLINE, Action.CANCEL)[number % 3], {"name": "again"})
        await shared.settled(request)
    done = await shared.ended(call)
    assert (done.state, len(_structured(done.result)["answers"])) == (CallState.DONE, rounds)


@pytest.mark.slow
async def test_unanswered_rounds_in_a_row_end_the_call(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker", "--state-key", STATE_KEY, forked=False), Era.ROUNDS)]
    async with house(tmp_path, servers, deadline_rounds=0.01) as rooms:
        await rooms.connected("it")
        failed = await rooms.ended(await rooms.call("it", "ask_forever"))
        assert failed.state is CallState.FAILED
        assert failed.reason_code is ReasonCode.TOO_MANY_ROUNDS
        requests = await rooms.services.store.of("local").requests.find(call_id=failed.id)
        assert [each.state for each in requests] == [RequestState.EXPIRED] * MAX_UNANSWERED_ROUNDS


@round_servers
async def test_a_round_with_an_unsupported_kind_fails_its_call(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_everything")
    failed = await shared.ended(call)
    assert failed.state is CallState.FAILED
    assert failed.reason_code is ReasonCode.ROOTS_NOT_SHARED
    refused = await shared.services.store.of("local").requests.find(call_id=call.id)
    assert {request.kind for request in refused} == {"roots"}
    assert {request.state for request in refused} == {RequestState.REFUSED}


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
        [request] = await shared.pending_requests(call)
        await shared.answer(request, Action.ACCEPT, {"name": "Ada"})
        done = await shared.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "Ada" in str(done.result)


@every_server
async def test_progress_is_shown_while_a_call_runs(shared: House, server: str) -> None:
    done = await shared.ended(await shared.call(server, "progress", {"steps": 3}))
    assert done.progress
    assert done.progress["progress"] == done.progress["total"]


def _structured(result: Any) -> Any:
    return result["structuredContent"]


async def test_a_session_lost_just_before_sending_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was sent, so the call goes on in the next session."""
    looks = 0

    async def lost_at_first(_connections: object, connection: Connection, _call: object, *, wished: bool) -> None:  # noqa: ARG001
        nonlocal looks
        looks += 1
        if looks == 1:
            session = connection.session
            os.kill(newest_child(), signal.SIGKILL)
            while connection.stands(session):
                await connection.endpoint.next_status()

    monkeypatch.setattr("webclient.calls.driver.task_to_ask_for", lost_at_first)
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.DECLINE)
        assert (await rooms.ended(call)).state is CallState.DONE
    assert looks > 1
