"""A request and the mark of its calls are written together, also with its answer, and the mark is right at the end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from tests.calls.test_running import a_call, state_of
from tests.disk import unwritable
from tests.store.rows import a_request
from webclient.calls.running import RunningCall, RunningCalls
from webclient.domain.errors import AlreadySettledError
from webclient.domain.model import Action, Call, CallState, InputRequest, Reason, ReasonCode, RequestState, Task, Via
from webclient.inbox import Inbox, OpenCall, check_answer
from webclient.inbox.open_calls import WaitingCalls, waiting_calls
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.store.requests.requests import UserRequests

pytestmark = pytest.mark.anyio


async def two(store: Store) -> tuple[list[Call], list[RunningCall]]:
    calls = [a_call(), a_call()]
    running = RunningCalls(store, Hub())
    return calls, [await running.add(call) for call in calls]


async def put(store: Store, waiting: WaitingCalls, **fields: object) -> InputRequest:
    request = a_request(**fields)
    with waiting.begin() as changes:
        await store.of("ada").requests.add(request, calls=changes)
    return request


async def decline(store: Store, waiting: WaitingCalls, request: InputRequest) -> None:
    with waiting.end() as changes:
        assert await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED, calls=changes)


async def test_request_and_answer_are_written_with_the_call(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as waiting:
        request = await put(store, waiting)
        assert await state_of(store, call) is CallState.INPUT_REQUIRED
        await decline(store, waiting, request)
        assert await state_of(store, call) is CallState.RUNNING
    assert await state_of(store, call) is CallState.RUNNING


async def test_a_call_waits_until_its_last_request_is_answered(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as first, waiting_calls([running]) as second:
        requests = [await put(store, waiting) for waiting in (first, second)]
        await decline(store, first, requests[0])
        assert await state_of(store, call) is CallState.INPUT_REQUIRED
        await decline(store, second, requests[1])
        assert await state_of(store, call) is CallState.RUNNING


async def test_a_call_goes_on_when_all_its_requests_are_declined(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    inbox = Inbox(store, Hub())
    async with waiting_calls([running]) as first, waiting_calls([running]) as second:
        requests = [await put(store, waiting) for waiting in (first, second)]
        answers = [
            asyncio.create_task(inbox.answer_to(request, waiting.end))
            for request, waiting in zip(requests, (first, second), strict=True)
        ]
        await asyncio.sleep(0)
        await inbox.decline("ada", requests, via=Via.API)
        assert await state_of(store, call) is CallState.RUNNING
        assert {(await answer).state for answer in answers} == {RequestState.DECLINED}
    await inbox.close()


async def test_an_answer_that_fails_late_leaves_no_call_waiting(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as waiting:
        await put(store, waiting)
        answer = waiting.end()
        answer.__enter__()
    answer.__exit__(StorageError, StorageError(Reason(ReasonCode.PROGRAM_ENDING)), None)
    assert running.columns_to_show() == {}
    assert await state_of(store, call) is CallState.RUNNING


async def test_a_request_that_comes_during_the_last_mark_is_marked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees the row as it still is, and writes nothing; the mark that is under way says that nothing waits."""
    running = await RunningCalls(store, Hub()).add(call := a_call())
    change = running.change
    async with waiting_calls([running]) as second:
        async with waiting_calls([running]) as first:
            await put(store, first)

            async def change_late(**values: Any) -> bool:
                monkeypatch.setattr(running, "change", change)
                await put(store, second)
                return await change(**values)

            monkeypatch.setattr(running, "change", change_late)
        assert await state_of(store, call) is CallState.INPUT_REQUIRED


async def test_each_possible_call_may_wait_until_the_answer(store: Store) -> None:
    calls, running = await two(store)
    async with waiting_calls(running) as waiting:
        request = await put(store, waiting)
        rows = [await store.of("ada").calls.get(call.id) for call in calls]
        assert [(row.state, row.may_wait) for row in rows] == [(CallState.INPUT_REQUIRED, True)] * 2
        await decline(store, waiting, request)
    rows = [await store.of("ada").calls.get(call.id) for call in calls]
    assert [(row.state, row.may_wait) for row in rows] == [(CallState.RUNNING, False)] * 2


async def test_a_request_that_is_not_stored_marks_no_call(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as waiting:
        with suppress(StorageError), waiting.begin():
            raise StorageError(Reason(ReasonCode.PROGRAM_ENDING))
    assert await state_of(store, call) is CallState.RUNNING
    assert running.columns_to_show() == {}


async def test_a_late_answer_leaves_its_call_marked_until_the_end(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as waiting:
        request = await put(store, waiting)
        assert await store.of("ada").requests.settle(request.id, to=RequestState.EXPIRED)
        with suppress(AlreadySettledError), waiting.end() as changes:
            assert not await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED, calls=changes)
            raise AlreadySettledError("late", request)
        assert await state_of(store, call) is CallState.INPUT_REQUIRED
    assert await state_of(store, call) is CallState.RUNNING


async def test_a_request_that_comes_during_an_answer_stays_marked(store: Store) -> None:
    """Its unit of work is begun before that of the answer is finished."""
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as second:
        async with waiting_calls([running]) as first:
            answered = await put(store, first)
            answering = asyncio.create_task(decline(store, first, answered))
            await asyncio.sleep(0)
            await put(store, second)
            await answering
        assert await state_of(store, call) is CallState.INPUT_REQUIRED
    assert await state_of(store, call) is CallState.RUNNING


@pytest.mark.parametrize("cancelled_in", ["begin", "end"])
async def test_a_task_that_is_cancelled_leaves_the_mark_right(store: Store, cancelled_in: str) -> None:
    """Its unit of work goes on, and no task hears how it ended."""
    running = await RunningCalls(store, Hub()).add(call := a_call())
    for turns in range(8):

        async def ask(turns: int = turns) -> None:
            async with waiting_calls([running]) as waiting:
                if cancelled_in == "begin":
                    await put(store, waiting)
                else:
                    await decline(store, waiting, await put(store, waiting))
                await asyncio.sleep(turns)

        asking = asyncio.create_task(ask())
        for _turn in range(turns * (1 if cancelled_in == "begin" else 3)):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert await state_of(store, call) is CallState.RUNNING


async def test_a_call_that_must_be_open_gets_no_request_after_its_end(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    await running.change(state=CallState.CANCELLED)
    request = a_request()
    with running.changing(required=True, state=CallState.INPUT_REQUIRED) as change:
        assert not await store.of("ada").requests.add(request, calls=[change])
    assert not change.is_written
    assert await state_of(store, call) is CallState.CANCELLED
    assert await store.of("ada").requests.find() == []


async def test_an_answer_in_the_inbox_moves_its_call_on_in_one_unit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    inbox = Inbox(store, Hub())
    settled: list[CallState] = []
    settle = UserRequests.settle

    async def then_look(*given: Any, **named: Any) -> InputRequest | None:
        request = await settle(*given, **named)
        settled.append(await state_of(store, call))
        return request

    monkeypatch.setattr(UserRequests, "settle", then_look)
    async with waiting_calls([running]) as waiting:
        request = a_request(call_id=call.id)
        with waiting.begin() as changes:
            await inbox.put([request], running.call, changes)
        answer = asyncio.create_task(inbox.answer_to(request, waiting.end))
        await asyncio.sleep(0)
        await inbox.answer(await check_answer(request, Action.DECLINE))
        assert (await answer).state is RequestState.DECLINED
    assert settled == [CallState.RUNNING]
    await inbox.close()


async def test_each_change_is_published_and_those_of_the_state_count(store: Store) -> None:
    hub = Hub()
    published: list[str] = []
    hub.listen(lambda _user_id, event: published.append(getattr(event, "subject", "")))
    running = await RunningCalls(store, hub).add(call := a_call())
    published.clear()
    await running.change(progress={"progress": 1})
    assert (published, running.changes) == ([call.id], 0)
    await running.change(state=CallState.INPUT_REQUIRED)
    assert (published, running.changes) == ([call.id, call.id], 1)
    # No client of this process got the state in which an earlier one left it.
    assert OpenCall(call, store, hub, resumable=True).changes == 1


@pytest.mark.parametrize(
    ("state", "returned"), [(CallState.DONE, True), (CallState.FAILED, True), (CallState.CANCELLED, False)]
)
async def test_a_call_that_ended_waits_for_nothing(store: Store, state: CallState, returned: bool) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    await running.change(state=state)
    running.count(1)
    await running.show_waiting()
    assert (running.returned, await state_of(store, call)) == (returned, state)


async def test_a_call_that_is_handed_over_keeps_its_state(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    running.handed_over = True
    running.count(1)
    await running.show_waiting()
    assert await state_of(store, call) is CallState.RUNNING


async def test_a_call_knows_its_checkpoint_and_its_task(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.change(checkpoint={"version": 1}, task=Task(id="t"))
    assert (running.resumable, running.task_id) == (True, "t")
    await running.change(checkpoint=None)
    assert (running.resumable, running.task_id) == (False, "t")


async def test_a_call_that_waits_for_sure_does_not_only_maybe_wait(store: Store) -> None:
    calls, running = await two(store)
    async with waiting_calls(running) as either, waiting_calls(running[:1]) as sure:
        await put(store, either)
        request = await put(store, sure)
        rows = [await store.of("ada").calls.get(call.id) for call in calls]
        assert [row.may_wait for row in rows] == [False, True]
        await decline(store, sure, request)
        assert (await store.of("ada").calls.get(calls[0].id)).may_wait


async def test_a_request_of_an_earlier_session_marks_its_call_again(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())
    async with waiting_calls([running]) as waiting:
        await waiting.begin_again()
        assert await state_of(store, call) is CallState.INPUT_REQUIRED
    assert await state_of(store, call) is CallState.RUNNING


async def test_a_change_that_cannot_be_written_at_once_raises(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    with unwritable(store), pytest.raises(StorageError):
        await running.change(at_once=True, state=CallState.CANCELLED)
    assert not running.returned
