"""The rows of the inbox: the first open requests with all of their calls, and the newest settled ones."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.rows import a_request
from webclient.domain.model import Delivery, InputRequest, RequestState, Risk, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

LONG_AGO = now() - timedelta(days=1)


async def added(store: Store, *requests: InputRequest) -> None:
    for request in reversed(requests):
        await store.of(request.user_id).requests.add(request)


async def settled(store: Store, limit: int, server_id: str = "") -> list[str]:
    rows = await store.of("ada").inbox.read(10, LONG_AGO, limit, server_id=server_id)
    return [each.id for each in rows.settled]


async def settle(store: Store, request: InputRequest, delivery: Delivery | None = None) -> None:
    await store.of(request.user_id).requests.settle(request.id, to=RequestState.DECLINED, delivery=delivery)


async def test_the_first_open_requests_are_found_and_all_are_counted(store: Store) -> None:
    moments = [now() + timedelta(seconds=n) for n in range(4)]
    requests = [a_request(created_at=moment) for moment in moments]
    await added(store, *requests)
    await store.of("ada").requests.settle(requests[0].id, to=RequestState.WAITING)
    await settle(store, requests[1])
    rows = await store.of("ada").inbox.read(2, LONG_AGO, 10)
    assert {each.id for each in rows.found} == {requests[0].id, requests[2].id}
    assert rows.open_count == 3
    assert [each.id for each in rows.settled] == [requests[1].id]
    assert await store.of("ada").inbox.count_settled(LONG_AGO, 10) == 1
    assert (await store.of("bob").inbox.read(2, LONG_AGO, 10)).open_count == 0


async def test_requests_with_the_gravest_risk_are_found_first(store: Store) -> None:
    plain, outside, money = [a_request(risk=each) for each in (None, Risk.OUTSIDE, Risk.MONEY)]
    await added(store, money, outside, plain)
    found = [(await store.of("ada").inbox.read(n, LONG_AGO, 1)).found for n in (1, 2)]
    assert [{each.id for each in rows} for rows in found] == [{money.id}, {money.id, outside.id}]
    assert {each.risk for each in found[1]} == {Risk.MONEY, Risk.OUTSIDE}


async def test_requests_settled_before_are_left_out(store: Store) -> None:
    request = a_request()
    await added(store, request)
    await settle(store, request)
    later = now() + timedelta(hours=1)
    assert (await store.of("ada").inbox.read(2, later, 10)).settled == []
    assert await store.of("ada").inbox.count_settled(later, 10) == 0


async def test_as_many_settled_ones_are_found_of_one_server_as_of_all(store: Store) -> None:
    mine, others = a_request(server_id="s1"), [a_request(server_id="s2") for _ in range(3)]
    await added(store, mine, *others)
    for request in (mine, *others):
        await settle(store, request)
    assert len((await store.of("ada").inbox.read(10, LONG_AGO, 2)).settled) == 2
    assert [each.id for each in (await store.of("ada").inbox.read(10, LONG_AGO, 2, server_id="s1")).settled] == [
        mine.id
    ]


async def test_an_answer_waiting_for_its_round_is_not_settled(store: Store) -> None:
    saved, sent = a_request(), a_request()
    await added(store, saved, sent)
    await settle(store, sent)
    await settle(store, saved, delivery=Delivery.SAVED)
    assert await settled(store, 1) == [sent.id]
