"""A saved answer of a round can be reopened until the round is taken to be sent, and the store says which was first."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.store.rows import a_request
from webclient.domain.model import Delivery, InputRequest, Origin, RequestState, Via, now
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def a_round(store: Store, *answered: RequestState) -> list[InputRequest]:
    """Store a round whose requests are in these states; their answers are saved."""
    rows = []
    for position, state in enumerate(answered, 1):
        request = a_request(call_id="c1", origin=Origin.ROUND, round=1, position=position, total=len(answered))
        await store.of("ada").requests.add(request)
        if state is not RequestState.PENDING:
            saved = await store.of("ada").requests.settle(
                request.id,
                to=state,
                content={"name": "Ada", "pin": "4711"},
                withheld=["pin"],
                secrets_for="c1",
                delivery=Delivery.SAVED,
                via=Via.PAGE,
            )
            assert saved
            request = saved
        rows.append(request)
    return rows


@pytest.mark.parametrize("state", [RequestState.ACCEPTED, RequestState.DECLINED, RequestState.CANCELLED])
async def test_a_saved_answer_is_reopened_as_a_draft_without_secrets(store: Store, state: RequestState) -> None:
    saved, _other = await a_round(store, state, RequestState.PENDING)
    deadline = now()
    reopened = await store.of("ada").rounds.reopen(saved.id, {"f0": ["Ada"]}, deadline)
    assert reopened
    assert reopened == await store.of("ada").requests.get(saved.id)
    assert (reopened.state, reopened.content, reopened.delivery) == (RequestState.PENDING, None, None)
    assert (reopened.settled_at, reopened.withheld, reopened.expires_at) == (None, (), deadline)
    assert reopened.reopened
    assert (await store.of("ada").drafts.find([saved.id]))[saved.id].texts == {"f0": ["Ada"]}
    # Another answer is saved like the first.
    again = await store.of("ada").requests.settle(saved.id, to=state, delivery=Delivery.SAVED)
    assert again
    assert again.changeable


async def test_a_round_with_a_pending_request_is_not_taken(store: Store) -> None:
    rows = await a_round(store, RequestState.ACCEPTED, RequestState.PENDING)
    taken = await store.of("ada").rounds.take([row.id for row in rows])
    assert [row.pending for row in taken] == [False, True]
    assert taken[0].delivery is Delivery.SAVED


async def test_a_taken_round_cannot_be_reopened(store: Store) -> None:
    rows = await a_round(store, RequestState.ACCEPTED, RequestState.DECLINED)
    taken = await store.of("ada").rounds.take([row.id for row in rows])
    assert [row.delivery for row in taken] == [Delivery.SENDING, Delivery.SENDING]
    assert taken[0].content == {"name": "Ada", "pin": "4711"}
    for row in rows:
        assert await store.of("ada").rounds.reopen(row.id, {}, None) is None


async def test_reopening_and_taking_at_once_have_one_winner(store: Store) -> None:
    ada = store.of("ada").rounds
    for _turn in range(20):
        rows = await a_round(store, RequestState.ACCEPTED, RequestState.ACCEPTED)
        reopened, taken = await asyncio.gather(ada.reopen(rows[0].id, {}, None), ada.take([row.id for row in rows]))
        assert (reopened is None) is (not any(row.pending for row in taken))


async def test_another_users_answer_is_not_reopened(store: Store) -> None:
    [saved, _other] = await a_round(store, RequestState.ACCEPTED, RequestState.PENDING)
    assert await store.of("eve").rounds.reopen(saved.id, {}, None) is None


async def test_saved_answers_of_an_ended_call_have_failed(store: Store) -> None:
    [saved, other] = await a_round(store, RequestState.ACCEPTED, RequestState.PENDING)
    assert await store.of("ada").rounds.fail("c1") == [saved.id]
    assert await store.of("ada").rounds.reopen(saved.id, {}, None) is None
    assert replace(other) == await store.of("ada").requests.get(other.id)
