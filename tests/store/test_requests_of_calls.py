"""The settled requests of several calls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.rows import a_request
from webclient.domain.model import RequestState, now
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_a_call_with_many_requests_hides_none_of_another(store: Store) -> None:
    ada, began = store.of("ada"), now()
    flood = [a_request(call_id="flood", created_at=began + timedelta(seconds=n)) for n in range(5)]
    one = a_request(call_id="one", created_at=began + timedelta(minutes=1))
    pending = a_request(call_id="one", created_at=began)
    foreign = a_request(call_id="flood", user_id="bob")
    await ada.requests.add(*flood, one, pending)
    await store.of("bob").requests.add(foreign)
    for request in (*flood, one, foreign):
        await store.of(request.user_id).requests.settle(request.id, to=RequestState.DECLINED)
    found = await ada.requests_of_calls.settled(["flood", "one", "none"], 2)
    assert [each.id for each in found["flood"].first] == [flood[0].id, flood[1].id]
    assert [each.id for each in found["one"].first] == [one.id]
    assert {call_id: each.count for call_id, each in found.items()} == {"flood": 5, "one": 1}
