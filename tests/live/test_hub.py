"""The hub tells each user's subscribers, replays what was missed, and bounds what it holds."""

from __future__ import annotations

import pytest

from webclient.domain.errors import TooManyError
from webclient.store.live import Event, Gap, Hub
from webclient.store.live.hub import QUEUED, REPLAYED, SUBSCRIBED

pytestmark = pytest.mark.anyio


async def test_an_event_reaches_all_subscribers_of_its_user_only() -> None:
    hub = Hub()
    with hub.subscribe("ada") as first, hub.subscribe("ada") as second, hub.subscribe("bob") as other:
        hub.publish("ada", "request", "r1")
        assert [await anext(first), await anext(second)] == [Event(hub.cursor, "request", "r1")] * 2
        assert other.drain() == []


async def test_missed_events_are_replayed_in_order() -> None:
    hub = Hub()
    cursor = hub.cursor
    for subject in ("r1", "r2"):
        hub.publish("ada", "request", subject)
    hub.publish("bob", "request", "r3")
    with hub.subscribe("ada", cursor) as missed:
        assert [event.subject for event in missed.drain() if isinstance(event, Event)] == ["r1", "r2"]


@pytest.mark.parametrize("since", ["otherepoch-0", "nonsense", "x-1", "-1", "1-²"])
async def test_a_cursor_that_is_not_of_this_process_gives_one_gap(since: str) -> None:
    hub = Hub()
    hub.publish("ada", "call", "c1")
    with hub.subscribe("ada", since) as missed:
        assert missed.drain() == [Gap(hub.cursor)]


async def test_a_page_from_before_a_refresh_gets_a_gap() -> None:
    """It was rendered before the disk was full, and its stream begins afterwards."""
    hub = Hub()
    hub.publish("ada", "call", "c1")
    before = hub.cursor
    hub.refresh()
    with hub.subscribe("ada", before) as early, hub.subscribe("ada", hub.cursor) as late:
        assert early.drain() == [Gap(hub.cursor)]
        assert late.drain() == []
    assert hub.cursor != before


async def test_a_user_who_was_let_go_gets_a_gap_and_others_none() -> None:
    hub = Hub()
    hub.publish("bob", "call", "c1")
    before = hub.cursor
    for user_id in ("ada", "bob"):
        hub.publish(user_id, "call", "c2")
    hub.forget("ada")
    with hub.subscribe("ada", before) as hers, hub.subscribe("bob", before) as his:
        assert hers.drain() == [Gap(hub.cursor)]
        assert [event.subject for event in his.drain() if isinstance(event, Event)] == ["c2"]
    hub.publish("ada", "call", "c3")
    with hub.subscribe("ada", before) as hers:
        assert hers.drain() == [Gap(hub.cursor)]


async def test_more_than_is_remembered_gives_a_gap() -> None:
    hub = Hub()
    cursor = hub.cursor
    for _each in range(REPLAYED + 1):
        hub.publish("ada", "call", "c1")
    with hub.subscribe("ada", cursor) as missed:
        assert missed.drain() == [Gap(hub.cursor)]


async def test_a_slow_subscriber_holds_one_gap_instead_of_everything() -> None:
    hub = Hub()
    with hub.subscribe("ada") as slow:
        for _each in range(QUEUED * 3):
            hub.publish("ada", "call", "c1")
        assert slow.drain() == [Gap(hub.cursor)]
        hub.publish("ada", "call", "c2")
        assert slow.drain() == [Event(hub.cursor, "call", "c2")]


async def test_closing_ends_streams_that_are_open_and_those_that_come() -> None:
    hub = Hub()
    with hub.subscribe("ada") as open_one:
        hub.publish("ada", "call", "c1")
        hub.close()
        assert [event.id async for event in open_one] == [hub.cursor]
    with hub.subscribe("ada") as late:
        assert [event async for event in late] == []


async def test_the_number_of_streams_is_limited() -> None:
    hub = Hub()
    subscribing = [hub.subscribe("ada") for _each in range(SUBSCRIBED)]
    for each in subscribing:
        each.__enter__()
    with pytest.raises(TooManyError, match=str(SUBSCRIBED)), hub.subscribe("ada"):
        pass
    for each in subscribing:
        each.__exit__(None, None, None)
    with hub.subscribe("ada") as free:
        assert free.drain() == []


def test_the_newest_of_a_user_changes_with_each_event_and_gap() -> None:
    hub = Hub()
    before = hub.newest("ada")
    hub.publish("ada", "request", "r1")
    first = hub.newest("ada")
    hub.publish("bob", "request", "r2")
    assert hub.newest("ada") == first
    hub.refresh()
    gap = hub.newest("ada")
    hub.forget("ada")
    assert hub.newest("ada") == hub.newest("eve") == gap
    hub.publish("ada", "request", "r1")
    assert len({before, first, gap, hub.newest("ada")}) == 4


async def test_a_listener_that_fails_stops_neither_writer_nor_readers() -> None:
    hub = Hub()
    heard: list[Event | Gap] = []

    def broken(_user_id: str | None, _item: Event | Gap) -> None:
        raise LookupError

    hub.listen(broken)
    hub.listen(lambda _user_id, item: heard.append(item))
    with hub.subscribe("ada") as subscription:
        hub.publish("ada", "request", "r1")
        hub.refresh()
        event = Event(hub.cursor.replace("-2", "-1"), "request", "r1")
        assert heard == subscription.drain() == [event, Gap(hub.cursor)]
