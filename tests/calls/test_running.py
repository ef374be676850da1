"""The calls in flight: how they are shown while somebody waits."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from webclient.calls.running import RunningCalls
from webclient.live import Hub
from webclient.model import Call, CallKind, CallState
from webclient.store import Store

pytestmark = pytest.mark.anyio


def a_call(**fields: object) -> Call:
    return Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask", **fields)  # type: ignore[arg-type]


async def test_a_question_withdrawn_at_once_leaves_no_call_waiting(store: Store) -> None:
    calls, call = RunningCalls(store, Hub()), a_call()
    await calls.add(call)

    async def ask() -> None:
        async with calls.waiting(call):
            await asyncio.get_running_loop().create_future()

    for turns in range(20):
        asking = asyncio.create_task(ask())
        for _turn in range(turns):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert (await store.of("ada").calls.get(call.id)).state is CallState.RUNNING
        async with calls.waiting(call):
            assert (await store.of("ada").calls.get(call.id)).state is CallState.INPUT_REQUIRED


async def test_a_call_that_ended_before_the_shutdown_stays_ended(store: Store) -> None:
    calls, call = RunningCalls(store, Hub()), a_call()
    await calls.add(call)
    await calls.change(call, state=CallState.DONE)
    calls.remove(call)
    await calls.hand_over(call)
    assert (await store.of("ada").calls.get(call.id)).state is CallState.DONE
    assert not calls.is_handed_over(call.id)


async def test_clients_that_wait_together_get_the_same_change(store: Store) -> None:
    calls, call = RunningCalls(store, Hub()), a_call()
    await calls.add(call)
    waiting = [asyncio.create_task(calls.next_change(call, 60)) for _client in range(2)]
    await anyio.wait_all_tasks_blocked()
    async with calls.waiting(call), asyncio.timeout(30):
        found = await asyncio.gather(*waiting)
    assert [each.state for each in found] == [CallState.INPUT_REQUIRED] * 2


async def test_a_change_between_two_polls_is_not_missed(store: Store) -> None:
    calls, call = RunningCalls(store, Hub()), a_call()
    await calls.add(call)
    await calls.change(call, state=CallState.INPUT_REQUIRED)
    assert (await calls.next_change(call, 60)).state is CallState.INPUT_REQUIRED
    await calls.change(call, state=CallState.DONE)
    async with asyncio.timeout(30):
        assert (await calls.next_change(call, 60)).state is CallState.DONE


@pytest.mark.parametrize("state", [CallState.DONE, CallState.CANCELLED])
async def test_a_second_client_gets_the_end_of_a_call_at_once(store: Store, state: CallState) -> None:
    calls, call = RunningCalls(store, Hub()), a_call()
    await calls.add(call)
    await calls.change(call, state=state)
    async with asyncio.timeout(30):
        for _client in range(2):
            assert (await calls.next_change(call, 60)).state is state
