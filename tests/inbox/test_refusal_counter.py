"""Quiet entries: many of one kind are one row, written seldom and never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from unittest.mock import patch

import pytest

from tests.disk import unwritable
from tests.inbox.test_inbox import a_question
from webclient.cancellable_task import CancellableTask
from webclient.inbox import Inbox, refusal_counter
from webclient.inbox.refusal_counter import RefusalCounter
from webclient.live import Hub
from webclient.model import InputRequest, RequestState
from webclient.store import Store

pytestmark = pytest.mark.anyio


def refused() -> InputRequest:
    return a_question(state=RequestState.REFUSED)


async def test_those_of_one_key_are_one_row_that_counts_them(store: Store) -> None:
    hub = Hub()
    entries = RefusalCounter(Inbox(store, hub))
    with hub.subscribe("ada") as events:
        first = refused()
        for request in [first, *(refused() for _ in range(99))]:
            await entries.add(("s1", "rate"), request)
        await entries.add(("s2", "rate"), refused())
        assert len(events.drain()) == 2
        await entries.close()
        assert len(events.drain()) == 1
    found = {each.id: each.count for each in await store.of("ada").requests.find()}
    assert len(found) == 2
    assert found[first.id] == 100


async def test_what_is_counted_is_told_after_a_pause(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusal_counter, "PAUSE", 0.01)
    hub = Hub()
    entries = RefusalCounter(Inbox(store, hub))
    first = refused()
    with hub.subscribe("ada") as events:
        await entries.add(("s1",), first)
        await anext(events)
        entries.count(("s1",))
        assert (await store.of("ada").requests.get(first.id)).count == 1
        await anext(events)
        assert (await store.of("ada").requests.get(first.id)).count == 2
    await entries.close()


async def test_after_some_quiet_there_is_a_new_entry(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = RefusalCounter(Inbox(store, Hub()))
    await entries.add(("s1",), refused())
    monkeypatch.setattr(refusal_counter, "QUIET", 0)
    await entries.add(("s1",), refused())
    assert [each.count for each in await store.of("ada").requests.find()] == [1, 1]
    await entries.close()


async def test_a_count_that_cannot_be_stored_does_not_keep_the_program_from_ending(store: Store) -> None:
    entries = RefusalCounter(Inbox(store, Hub()))
    first = refused()
    await entries.add(("s1",), first)
    entries.count(("s1",))
    with unwritable(store):
        await entries.close()
    assert (await store.of("ada").requests.get(first.id)).count == 1


async def test_what_is_counted_with_one_that_is_taken_back_is_counted_all_the_same(store: Store) -> None:
    inbox = Inbox(store, Hub())
    entries, first, begun, go_on = RefusalCounter(inbox), refused(), asyncio.Event(), asyncio.Event()
    put = inbox.put

    async def slowly(requests: Sequence[InputRequest]) -> None:
        begun.set()
        await go_on.wait()
        await put(requests)

    with patch.object(inbox, "put", slowly):
        adding = CancellableTask(entries.add(("s1",), first), name="adding")
        await begun.wait()
        entries.count(("s1",))
        adding.stop()
        go_on.set()
        await adding.ended()
    await entries.close()
    assert [each.count for each in await store.of("ada").requests.find()] == [2]
