"""The running calls: how they are shown while they wait, what clients get of them, and how they are handed over."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from webclient.calls.checkpoint import UnsentCheckpoint
from webclient.calls.running import RunningCalls
from webclient.domain.model import Call, CallKind, CallState, Reason, ReasonCode, RequestState
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask

pytestmark = pytest.mark.anyio


def a_call(*, user_id: str = "ada", **fields: object) -> Call:
    return Call(user_id=user_id, server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask", **fields)  # type: ignore[arg-type]


async def state_of(store: Store, call: Call) -> CallState:
    return (await store.of("ada").calls.get(call.id)).state


async def test_a_question_withdrawn_at_once_leaves_no_call_waiting(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(call := a_call())

    async def ask() -> None:
        async with running.waiting():
            await asyncio.get_running_loop().create_future()

    for turns in range(20):
        asking = asyncio.create_task(ask())
        for _turn in range(turns):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert await state_of(store, call) is CallState.RUNNING
        async with running.waiting():
            assert await state_of(store, call) is CallState.INPUT_REQUIRED


async def test_a_call_that_ended_before_the_shutdown_stays_ended(store: Store) -> None:
    calls = RunningCalls(store, Hub())
    running = await calls.add(call := a_call())
    await running.change(state=CallState.DONE)
    calls.remove(running)
    await calls.hand_over_resumable()
    assert await state_of(store, call) is CallState.DONE
    assert not calls.is_handed_over(call.id)


async def test_a_call_of_another_user_is_not_found_by_its_server(store: Store) -> None:
    calls = RunningCalls(store, Hub())
    running = await calls.add(a_call())
    await calls.add(a_call(user_id="grace"))
    assert calls.possible_calls(("ada", "s1"), None) == [running]


async def test_only_a_resumable_call_is_handed_over(store: Store) -> None:
    calls = RunningCalls(store, Hub())
    resumable, running = calls.add_resumed(a_call()), await calls.add(a_call())
    await calls.hand_over_resumable()
    calls.remove(resumable)
    assert calls.is_handed_over(resumable.call.id)
    assert not calls.is_handed_over(running.call.id)


async def test_a_call_whose_round_comes_during_the_stop_is_handed_over(store: Store) -> None:
    calls = RunningCalls(store, Hub())
    running, other = await calls.add(a_call()), await calls.add(a_call())
    await calls.hand_over_resumable()
    await running.save_checkpoint(UnsentCheckpoint())
    await calls.end_all((RequestState.INTERRUPTED, Reason(ReasonCode.CLIENT_STOPPED)))
    assert await state_of(store, running.call) is CallState.RUNNING
    assert await state_of(store, other.call) is CallState.INTERRUPTED


async def test_clients_that_wait_together_get_the_same_change(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    waiting = [asyncio.create_task(running.next_change(60)) for _client in range(2)]
    await anyio.wait_all_tasks_blocked()
    async with running.waiting(), asyncio.timeout(30):
        await asyncio.gather(*waiting)


async def test_a_change_between_two_polls_is_not_missed(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.change(state=CallState.INPUT_REQUIRED)
    await running.next_change(60)
    await running.change(state=CallState.RUNNING)
    async with asyncio.timeout(30):
        await running.next_change(60)


async def test_each_client_with_a_cursor_gets_every_change_it_missed(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    seen = running.cursor
    await running.change(state=CallState.INPUT_REQUIRED)
    async with asyncio.timeout(30):
        for _client in range(2):
            await running.next_change(60, since=seen)


async def test_a_cursor_tells_two_rounds_in_the_same_state_apart(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.change(state=CallState.INPUT_REQUIRED)
    seen = running.cursor
    await running.change(state=CallState.RUNNING)
    await running.change(state=CallState.INPUT_REQUIRED)
    async with asyncio.timeout(30):
        await running.next_change(60, since=seen)


async def test_a_client_that_has_seen_everything_waits_for_a_change(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.change(state=CallState.INPUT_REQUIRED)
    waiting = asyncio.create_task(running.next_change(60, since=running.cursor))
    await running.progressed({"progress": 1})
    await anyio.wait_all_tasks_blocked()
    assert not waiting.done()
    await running.change(state=CallState.RUNNING)
    async with asyncio.timeout(30):
        await waiting


async def test_a_cursor_of_another_process_is_answered_at_once(store: Store) -> None:
    call = a_call()
    before, after = RunningCalls(store, Hub()).add_resumed(call), RunningCalls(store, Hub()).add_resumed(call)
    async with asyncio.timeout(30):
        await after.next_change(60, since=before.cursor)


async def test_a_poll_with_a_cursor_hides_no_change_from_other_clients(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    seen = running.cursor
    await running.change(state=CallState.INPUT_REQUIRED)
    async with asyncio.timeout(30):
        await running.next_change(60, since=seen)
        await running.next_change(60)


async def test_a_wait_ends_with_its_time(store: Store) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.next_change(0.01)


@pytest.mark.parametrize("state", [CallState.DONE, CallState.CANCELLED])
async def test_a_second_client_gets_the_end_of_a_call_at_once(store: Store, state: CallState) -> None:
    running = await RunningCalls(store, Hub()).add(a_call())
    await running.change(state=state)
    async with asyncio.timeout(30):
        for _client in range(2):
            await running.next_change(60)


async def test_a_shutdown_stops_calls_that_cannot_be_ended(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = RunningCalls(store, Hub())
    running = await calls.add(a_call())
    stopped = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            stopped.set()

    async def fail(*_values: object, **_columns: object) -> bool:
        raise StorageError(Reason.of(ReasonCode.FOLDER_UNWRITABLE, error="full"))

    running.run(CancellableTask(wait(), name="call"))
    await asyncio.sleep(0)
    store.health.close()
    monkeypatch.setattr(type(store.of("ada").calls), "change", fail)
    await calls.end_all((RequestState.INTERRUPTED, Reason(ReasonCode.CLIENT_STOPPED)))
    assert stopped.is_set()
