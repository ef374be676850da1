"""The counter of refusals: many with one key are one row, which is written seldom and never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from unittest.mock import patch

import pytest

from tests.disk import unwritable
from tests.inbox.test_inbox import form_request
from webclient.domain.model import InputRequest, RequestState
from webclient.inbox import Inbox, entry_counter
from webclient.inbox.entry_counter import EntryCounter
from webclient.store import Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask

pytestmark = pytest.mark.anyio


def refused() -> InputRequest:
    return form_request(state=RequestState.REFUSED)


async def test_refusals_with_the_same_key_share_one_counted_row(store: Store) -> None:
    hub = Hub()
    entries = EntryCounter(Inbox(store, hub))
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


async def test_a_count_is_published_after_a_pause(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_counter, "PAUSE", 0.01)
    hub = Hub()
    entries = EntryCounter(Inbox(store, hub))
    first = refused()
    with hub.subscribe("ada") as events:
        await entries.add(("s1",), first)
        await anext(events)
        entries.count(("s1",))
        await anext(events)
        assert (await store.of("ada").requests.get(first.id)).count == 2
    await entries.close()


async def test_a_refusal_after_a_quiet_time_is_a_new_entry(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryCounter(Inbox(store, Hub()))
    await entries.add(("s1",), refused())
    monkeypatch.setattr(entry_counter, "QUIET", 0)
    await entries.add(("s1",), refused())
    assert [each.count for each in await store.of("ada").requests.find()] == [1, 1]
    await entries.close()


async def test_a_count_that_cannot_be_stored_does_not_block_closing(store: Store) -> None:
    entries = EntryCounter(Inbox(store, Hub()))
    first = refused()
    await entries.add(("s1",), first)
    entries.count(("s1",))
    with unwritable(store):
        await entries.close()
    assert (await store.of("ada").requests.get(first.id)).count == 1


async def test_refusals_counted_with_a_withdrawn_one_are_stored(store: Store) -> None:
    inbox = Inbox(store, Hub())
    entries, first, begun, go_on = EntryCounter(inbox), refused(), asyncio.Event(), asyncio.Event()
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


async def test_a_request_that_cannot_be_stored_leaves_no_entry(store: Store) -> None:
    inbox = Inbox(store, Hub())
    entries, begun, go_on = EntryCounter(inbox), asyncio.Event(), asyncio.Event()

    async def failing(_requests: Sequence[InputRequest]) -> None:
        begun.set()
        await go_on.wait()
        raise PermissionError

    with patch.object(inbox, "put", failing):
        for counted in (False, True):
            adding = asyncio.create_task(entries.add(("s1",), refused()))
            await begun.wait()
            if counted:
                entries.count(("s1",))
            go_on.set()
            with pytest.raises(PermissionError):
                await adding
            assert not entries.counts(("s1",))
            begun.clear()
            go_on.clear()
    assert writers() == []


async def test_a_count_is_written_after_its_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_counter, "PAUSE", 0)
    inbox = Inbox(store, Hub())
    entries, written, begun, go_on = EntryCounter(inbox), asyncio.Event(), asyncio.Event(), asyncio.Event()
    order = []

    async def put(_requests: Sequence[InputRequest]) -> None:
        begun.set()
        await go_on.wait()
        order.append("row")

    async def recount(_request: InputRequest, _count: int) -> None:
        order.append("count")
        written.set()

    monkeypatch.setattr(inbox, "put", put)
    monkeypatch.setattr(inbox, "recount", recount)
    adding = asyncio.create_task(entries.add(("s1",), refused()))
    await begun.wait()
    entries.count(("s1",))
    for _turn in range(10):
        await asyncio.sleep(0)
    go_on.set()
    await adding
    await written.wait()
    assert order == ["row", "count"]


async def test_old_entries_are_forgotten_once_they_are_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 40.0
    monkeypatch.setattr(entry_counter, "monotonic", lambda: clock)
    entries = EntryCounter(Inbox(store, Hub()))
    for name in ("old", "unwritten"):
        await entries.add((name,), refused())
    entries.count(("unwritten",))
    clock += entry_counter.QUIET / 2
    await entries.add(("newer",), refused())
    assert entries._entries.keys() == {("old",), ("unwritten",), ("newer",)}
    clock += entry_counter.QUIET / 2
    await entries.add(("newest",), refused())
    assert entries._entries.keys() == {("unwritten",), ("newer",), ("newest",)}
    await entries.close()
    assert writers() == []


def writers() -> list[asyncio.Task[object]]:
    """Return the tasks that will write a count."""
    return [task for task in asyncio.all_tasks() if task.get_name() == "count" and not task.cancelling()]


async def test_a_removed_server_leaves_the_counts_of_others(store: Store) -> None:
    entries = EntryCounter(Inbox(store, Hub()))
    gone, stays = refused(), refused()
    for server, request in (("s1", gone), ("s2", stays)):
        await entries.add(("ada", server, "rate"), request)
        entries.count(("ada", server, "rate"))
    await entries.forget(("ada", "s1"))
    assert (await store.of("ada").requests.get(gone.id)).count == 2
    assert [entries.counts(("ada", each, "rate")) for each in ("s1", "s2")] == [False, True]
    assert len(writers()) == 1
    await entries.close()
    assert (await store.of("ada").requests.get(stays.id)).count == 2
