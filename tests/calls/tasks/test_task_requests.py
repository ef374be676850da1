"""The input requests of a task of 2026-07-28 become cards, and each answer goes out by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.calls.tasks.task_calls import ASKING, DONE, FORM, LINK, SAMPLING, call_with, fail, log, said, stored, tell
from tests.house import House
from tests.line import delivered
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import (
    Action,
    CallState,
    Delivery,
    InputRequest,
    Json,
    Mode,
    Origin,
    ReasonCode,
    RequestState,
)

pytestmark = pytest.mark.anyio


async def test_an_answer_to_a_question_of_a_task_goes_out_as_update(rooms: House) -> None:
    """X5 and X7: the answer is sent with `tasks/update`, once; the same key in many polls is one card."""
    call = await rooms.call("it", "run", ASKING)
    [request] = await rooms.pending_requests(call)
    assert (request.origin, request.ids.task_id, request.round) == (Origin.TASK, "t1", 1)
    waiting = await stored(rooms, call)
    assert waiting.state is CallState.INPUT_REQUIRED
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    ended = await rooms.ended(call)
    assert (ended.state, ended.result) == (CallState.DONE, DONE["result"])
    [update] = await log(rooms, "tasks/update")
    assert update["params"]["inputResponses"] == {"q1": {"action": "accept", "content": {"name": "Ada"}}}
    settled = await rooms.settled(request)
    assert (settled.state, settled.delivery) == (RequestState.ACCEPTED, Delivery.DELIVERED)
    assert len(await rooms.services.inbox.of_call(ended)) == 1


async def test_two_answers_go_out_apart(rooms: House) -> None:
    """X5: a partial update leaves the other question open; each answer is delivered by itself."""
    call, [first, second] = await call_with(rooms, one=FORM, two=FORM)
    assert [(each.position, each.total) for each in (first, second)] == [(1, 2), (2, 2)]
    await rooms.answer(second, Action.DECLINE)
    await delivered(rooms, second, Delivery.DELIVERED)
    assert (await stored(rooms, call)).state is CallState.INPUT_REQUIRED
    await rooms.answer(first, Action.ACCEPT, {"name": "Ada"})
    assert (await rooms.ended(call)).state is CallState.DONE
    answers = [each["params"]["inputResponses"] for each in await log(rooms, "tasks/update")]
    assert answers == [{"two": {"action": "decline"}}, {"one": {"action": "accept", "content": {"name": "Ada"}}}]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (LINK, ReasonCode.URL_MODE_OFF),
        (SAMPLING, ReasonCode.SAMPLING_OFF),
        ({"method": "dance/create", "params": {}}, ReasonCode.RESULT_INVALID),
        ({"method": "elicitation/create", "params": {"mode": "dance"}}, ReasonCode.RESULT_INVALID),
    ],
)
async def test_a_request_that_was_not_announced_ends_the_task(rooms: House, entry: Json, code: ReasonCode) -> None:
    """X6: each entry MUST be treated as the same request by itself; a task is not trusted more."""
    await rooms.services.servers.change(replace(await rooms.server("it"), modes=(Mode.FORM,)))
    call = await rooms.call("it", "run", ASKING | {"inputRequests": {"a": FORM, "b": entry}})
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code) == (CallState.FAILED, code)
    assert len(await log(rooms, "tasks/cancel")) == 1
    assert not any(each.pending for each in await rooms.services.inbox.of_call(call))


async def test_a_flood_of_questions_ends_the_task(rooms: House) -> None:
    """X6: the limits of stand-alone requests hold; nothing of the flood is shown."""
    call = await rooms.call("it", "run", ASKING | {"inputRequests": {str(n): FORM for n in range(300)}})
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.TOO_MANY_AT_ONCE)
    assert len(await rooms.services.inbox.of_call(call)) == 1


async def test_a_question_under_another_key_stays_one_card(rooms: House) -> None:
    """X7: a key is asked once; a server that renames its open question gets the answer under the newest key."""
    call, [request] = await call_with(rooms, q1=FORM)
    await tell(rooms, "t1", {"inputRequests": {"q2": FORM}, "statusMessage": "renamed"})

    async def renamed() -> bool:
        newest = await stored(rooms, call)
        return (newest.checkpoint or {}).get("requests") == {"q2": request.id}

    await rooms.until(renamed)
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    await rooms.ended(call)
    assert [list(each["params"]["inputResponses"]) for each in await log(rooms, "tasks/update")] == [["q2"]]
    assert len(await rooms.services.inbox.of_call(call)) == 1


async def test_a_question_that_the_task_drops_is_withdrawn(rooms: House) -> None:
    """X8: each key sent MUST be outstanding, so an answer that comes later is not sent."""
    call, [request] = await call_with(rooms, q1=FORM)
    await tell(rooms, "t1", {"status": "working", "inputRequests": {}})
    withdrawn = await rooms.settled(request)
    assert (withdrawn.state, withdrawn.reason_code) == (RequestState.WITHDRAWN, ReasonCode.WITHDRAWN)
    with pytest.raises(AlreadySettledError):
        await rooms.answer(request, Action.ACCEPT, {"name": "late"})
    await tell(rooms, "t1", DONE)
    assert (await rooms.ended(call)).state is CallState.DONE
    assert await log(rooms, "tasks/update") == []


@pytest.mark.parametrize("state", [{"status": "working", "inputRequests": {}}, DONE])
async def test_an_answer_to_a_question_just_dropped_is_not_sent(rooms: House, state: Json) -> None:
    """X8: the server went on or ended between two polls; the answer ends as not delivered."""
    call, [request] = await call_with(rooms, q1=FORM)
    # From here on only the answer brings a poll.
    await tell(rooms, "t1", {"pollIntervalMs": 60_000, "statusMessage": "slow"})
    await said(rooms, call, "slow")
    await tell(rooms, "t1", state)
    await rooms.answer(request, Action.ACCEPT, {"name": "late"})
    await delivered(rooms, request, Delivery.FAILED)
    assert await log(rooms, "tasks/update") == []
    if state is DONE:
        assert (await rooms.ended(call)).state is CallState.DONE
    else:
        await rooms.services.calls.cancel(await stored(rooms, call))


async def test_a_refused_answer_opens_its_card_again(rooms: House) -> None:
    """The card says why, keeps the answer as its draft, and the next answer is sent."""
    call, [request] = await call_with(rooms, q1=FORM)
    await fail(rooms, "tasks/update", -32602)
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})

    async def reopened() -> InputRequest | None:
        newest = await rooms.services.store.of("local").requests.get(request.id)
        return newest if newest.pending else None

    assert (await rooms.until(reopened)).reason_code is ReasonCode.ANSWER_REFUSED
    assert request.id in await rooms.services.store.of("local").drafts.find([request.id])
    assert (await stored(rooms, call)).state is CallState.INPUT_REQUIRED
    await rooms.answer(request, Action.ACCEPT, {"name": "Grace"})
    assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_muted_server_gets_a_cancel_for_each_question(rooms: House) -> None:
    server = await rooms.server("it")
    await rooms.services.servers.mute(server)
    call = await rooms.call("it", "run", ASKING)
    assert (await rooms.ended(call)).state is CallState.DONE
    [update] = await log(rooms, "tasks/update")
    assert update["params"]["inputResponses"] == {"q1": {"action": "cancel"}}


async def test_the_list_of_folders_is_sent_without_a_card(rooms: House) -> None:
    """F4, in a task of 2026-07-28: answered from the list of the user, and the history has both."""
    await rooms.services.servers.change(replace(await rooms.server("it"), roots=()))
    call = await rooms.call("it", "run", ASKING | {"inputRequests": {"folders": {"method": "roots/list"}, "q1": FORM}})
    [request] = await rooms.pending_requests(call)
    await rooms.answer(request, Action.DECLINE)
    assert (await rooms.ended(call)).state is CallState.DONE
    answers = [each["params"]["inputResponses"] for each in await log(rooms, "tasks/update")]
    assert answers == [{"folders": {"roots": []}}, {"q1": {"action": "decline"}}]
    assert len(await rooms.services.inbox.of_call(call)) == 2


async def test_a_task_that_asks_for_folders_without_end_is_stopped(rooms: House) -> None:
    """X6: as with rounds, a server that asks again and again without a question to the person is in a loop."""
    await rooms.services.servers.change(replace(await rooms.server("it"), roots=()))
    folders = {"method": "roots/list"}
    call = await rooms.call("it", "run", ASKING | {"inputRequests": {"folders": folders}, "again": folders})
    failed = await rooms.ended(call)
    assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.TOO_MANY_ROUNDS)
    assert len(await log(rooms, "tasks/cancel")) == 1


async def test_a_declined_sampling_request_cancels_the_task(rooms: House) -> None:
    """S9: 2026-07-28 has no word for "declined", so nothing is sent, and the task is cancelled."""
    assert Mode.SAMPLING in (await rooms.server("it")).modes
    call, [request] = await call_with(rooms, q1=SAMPLING)
    await rooms.answer(request, Action.DECLINE)
    cancelled = await rooms.ended(call)
    assert (cancelled.state, cancelled.reason_code) == (CallState.CANCELLED, ReasonCode.SAMPLING_DECLINED)
    assert await log(rooms, "tasks/update") == []
    assert len(await log(rooms, "tasks/cancel")) == 1


async def test_an_opened_link_is_completed_when_the_task_goes_on(rooms: House) -> None:
    call = await rooms.call("it", "run", ASKING | {"inputRequests": {"pay": LINK}, "then": {"status": "working"}})
    [link] = await rooms.pending_requests(call)
    await rooms.answer(link, Action.ACCEPT)

    async def completed() -> bool:
        return (await rooms.services.store.of("local").requests.get(link.id)).state is RequestState.COMPLETED

    await rooms.until(completed)
    await tell(rooms, "t1", DONE)
    assert (await rooms.ended(call)).state is CallState.DONE
