"""Calls that equal calls join: one start for all, and few results in memory that no agent has got."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from webclient.calls import Calls
from webclient.domain.errors import ConflictError
from webclient.domain.model import Agent, Call, CallKind, CallState
from webclient.gateway.shared_calls import MOST_SAVED, SharedCalls
from webclient.gateway.steps import Steps
from webclient.store import Store

pytestmark = pytest.mark.anyio

KEY = "a"


class Ended:
    """Calls that end as soon as they begin."""

    async def until_over(self, call: Call, _note: object) -> Call:
        return call

    def want(self, call_id: str, *, wanted: bool) -> None:
        pass

    def asks(self, _call_id: str) -> bool:
        return False

    def will_ask(self, _call_id: str) -> bool:
        return False

    def is_at_server(self, _call_id: str) -> bool:
        return False

    def wait_of(self, _call_id: str) -> Callable[[], bool]:
        return lambda: False


class Endless(Ended):
    """Calls that end only when they are cancelled."""

    def __init__(self, *, asks: bool = False, will_ask: bool = False, is_at_server: bool = False) -> None:
        self._asks, self._will_ask, self._is_at_server = asks, will_ask, is_at_server
        self.cancelled: list[str] = []

    async def until_over(self, call: Call, _note: object) -> Call:
        await asyncio.Event().wait()
        return call

    def asks(self, _call_id: str) -> bool:
        return self._asks

    def will_ask(self, _call_id: str) -> bool:
        return self._will_ask

    def is_at_server(self, _call_id: str) -> bool:
        return self._is_at_server

    async def note_agent(self, _call: Call, _agent: object) -> None:
        pass

    async def cancel(self, call: Call, _reason: object) -> None:
        self.cancelled.append(call.id)


@pytest.fixture
async def shared_calls(tmp_path: Path) -> AsyncIterator[SharedCalls]:
    store = Store(tmp_path)
    await store.open()
    yield SharedCalls(store, cast("Calls", Ended()))
    await store.close()


def a_call() -> Call:
    return Call(user_id="ada", server_id="s", server_label="S", kind=CallKind.TOOL, name="a", state=CallState.DONE)


async def test_equal_calls_at_one_moment_have_one_start(shared_calls: SharedCalls) -> None:
    begun, goes_on = [], asyncio.Event()

    async def start() -> Call:
        begun.append(1)
        await goes_on.wait()
        return a_call()

    first, second, third = [asyncio.create_task(shared_calls.get("ada", KEY, start)) for _request in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    goes_on.set()
    assert await second is await third
    assert len(begun) == 1


@pytest.mark.slow
async def test_ten_thousand_equal_proposals_are_one_call(tmp_path: Path) -> None:
    """Each agent that gives up leaves nothing in memory: the call waits for its person."""
    begun = []

    async def start() -> Call:
        begun.append(a_call())
        return replace(begun[-1], state=CallState.INPUT_REQUIRED)

    store = Store(tmp_path)
    await store.open()
    shared_calls = SharedCalls(store, cast("Calls", Endless(asks=True, is_at_server=False)))
    for _time in range(10_000):
        shared = await shared_calls.get("ada", KEY, start)
        with shared.waiting(cast("Steps", None)):
            pass
    assert len(begun) == 1
    assert (len(shared_calls._by_key), len(shared_calls._by_id), len(shared._watchers)) == (1, 1, 0)
    await shared_calls.close()
    await store.close()


@pytest.mark.parametrize(
    ("calls", "joins"),
    [(Endless(asks=True), True), (Endless(will_ask=True), True), (Endless(is_at_server=True), False)],
    ids=["a person is asked", "a rule holds it, and asks soon", "the server works"],
)
async def test_an_equal_call_joins_one_that_a_person_decides(tmp_path: Path, calls: Endless, joins: bool) -> None:
    async def start() -> Call:
        return replace(a_call(), state=CallState.RUNNING)

    store = Store(tmp_path)
    await store.open()
    shared_calls = SharedCalls(store, cast("Calls", calls))
    shared = await shared_calls.get("ada", KEY, start)
    with shared.waiting(cast("Steps", None)):
        assert (await shared_calls.get("ada", KEY, start) is shared) == joins
    await shared_calls.close()
    await store.close()


async def test_a_start_that_failed_is_tried_again_by_the_next(shared_calls: SharedCalls) -> None:
    async def refuse() -> Call:
        raise ConflictError("too many")

    async def start() -> Call:
        return a_call()

    answers = await asyncio.gather(
        *(shared_calls.get("ada", KEY, refuse) for _request in range(2)), return_exceptions=True
    )
    assert [type(each) for each in answers] == [ConflictError] * 2
    assert (await shared_calls.get("ada", KEY, start)).call.name == "a"


async def test_few_results_that_no_agent_has_got_stay(shared_calls: SharedCalls) -> None:
    calls = [a_call() for _number in range(MOST_SAVED + 3)]
    for call in calls:
        await shared_calls.follow(call).over
        await asyncio.sleep(0.01)
    there = [shared_calls.with_id(call.id) is not None for call in calls]
    assert there == [False] * 3 + [True] * MOST_SAVED


@pytest.mark.parametrize(
    ("asks", "is_at_server", "is_cancelled"),
    [(True, True, False), (False, True, True), (False, False, False)],
    ids=["a person is asked", "the server works", "it was approved, and waits for its agent"],
)
async def test_a_call_without_its_agent_is_cancelled_unless_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks: bool, is_at_server: bool, is_cancelled: bool
) -> None:
    monkeypatch.setattr("webclient.gateway.shared_calls.NOTED", 0)
    monkeypatch.setattr("webclient.gateway.shared_calls.GRACE", 0)
    store = Store(tmp_path)
    await store.open()
    calls = Endless(asks=asks, is_at_server=is_at_server)
    shared_calls = SharedCalls(store, cast("Calls", calls))
    shared = shared_calls.follow(a_call())
    assert shared.alone
    await asyncio.wait([shared.alone], timeout=1 if is_cancelled else 0.2)
    assert bool(calls.cancelled) == is_cancelled
    await shared_calls.close()
    await store.close()


@pytest.mark.parametrize("has_arrived", [True, False])
async def test_a_result_that_did_not_arrive_goes_to_an_equal_call(shared_calls: SharedCalls, has_arrived: bool) -> None:
    async def start() -> Call:
        return a_call()

    async def report(*_step: object) -> None:
        pass

    shared = await shared_calls.get("ada", KEY, start)
    with shared.waiting(Steps(report)):
        await shared.over
        shared.taken = True
    shared_calls.handed(shared, has_arrived)
    assert (await shared_calls.get("ada", KEY, start) is shared) != has_arrived
    await shared_calls.close()
    assert shared.alone is None or shared.alone.done()


async def test_a_task_lives_without_polls_until_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An equal call takes it up once no agent has asked for it for a while."""
    for name in ("POLLED", "NOTED", "GRACE", "LONG_GRACE"):
        monkeypatch.setattr(f"webclient.gateway.shared_calls.{name}", 0)
    store = Store(tmp_path)
    await store.open()
    calls = Endless(asks=False, is_at_server=True)
    shared_calls = SharedCalls(store, cast("Calls", calls))

    async def start() -> Call:
        return replace(a_call(), state=CallState.RUNNING, agent=Agent(token_id="t", label="T", task_seconds=2))

    task = await shared_calls.get("ada", KEY, start)
    assert await shared_calls.get("ada", "another", start) is not task
    await asyncio.sleep(0.2)
    assert await shared_calls.get("ada", KEY, start) is task
    assert calls.cancelled == []
    shared_calls.polled(task)
    assert not task.is_missed
    assert task.alone
    await task.alone
    assert task.call.id in calls.cancelled
    await shared_calls.close()
    await store.close()
