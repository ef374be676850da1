"""A draft stays while its request is pending; it is deleted with the answer, or a day after another end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from webclient.domain.model import UNSENT, InputRequest, Reason, ReasonCode, RequestState, now
from webclient.store import Store
from webclient.store.requests.drafts import GRACE, LIFETIME_AFTER_END, Draft

pytestmark = pytest.mark.anyio

TEXTS = {"f0": ["née ☃"], "f1": ["0", "2"], "f2": []}
GRACER = {"f0": ["née ☃ B"]}


@pytest.fixture
async def request_(store: Store) -> InputRequest:
    pending = a_request()
    await store.of(pending.user_id).requests.add(pending)
    return pending


Move = Callable[[timedelta], None]


@pytest.fixture
def other_moment(monkeypatch: pytest.MonkeyPatch) -> Move:
    """Let time pass for the store, at once."""

    def move(by: timedelta) -> None:
        monkeypatch.setattr("webclient.store.requests.drafts.now", lambda: now() + by)

    return move


def rows(database: TestDatabase) -> int:
    return len(database.run("SELECT * FROM drafts"))


async def test_a_draft_is_found_as_it_was_last_saved(store: Store, request_: InputRequest) -> None:
    assert await store.of("ada").drafts.save(request_.id, TEXTS)
    assert await store.of("ada").drafts.find([request_.id, "other"]) == {request_.id: Draft(TEXTS)}
    assert await store.of("ada").drafts.save(request_.id, GRACER)
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(GRACER)}
    assert await store.of("ada").drafts.find([]) == {}


async def test_a_draft_survives_a_restart(store: Store, request_: InputRequest, database: TestDatabase) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    await store.close()
    again = database.store()
    await again.open()
    assert await again.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}
    await again.close()


async def test_a_draft_is_its_users_alone(store: Store, request_: InputRequest, database: TestDatabase) -> None:
    assert not await store.of("bob").drafts.save(request_.id, TEXTS)
    await store.of("ada").drafts.save(request_.id, TEXTS)
    assert await store.of("bob").drafts.find([request_.id]) == {}
    assert rows(database) == 1


async def test_a_draft_without_texts_is_none(store: Store, request_: InputRequest, database: TestDatabase) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    assert await store.of("ada").drafts.save(request_.id, {})
    assert rows(database) == 0


async def test_accepting_a_request_deletes_its_draft_alone(store: Store, request_: InputRequest) -> None:
    other = a_request()
    await store.of(other.user_id).requests.add(other)
    for each in (request_, other):
        await store.of("ada").drafts.save(each.id, TEXTS)
    await store.of("ada").requests.settle(request_.id, to=RequestState.ACCEPTED)
    assert await store.of("ada").drafts.find([request_.id, other.id]) == {other.id: Draft(TEXTS)}


async def test_a_lost_settlement_deletes_no_draft(store: Store, request_: InputRequest) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    assert not await store.of("bob").requests.settle(request_.id, to=RequestState.ACCEPTED)
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}


async def test_a_draft_after_the_answer_is_not_saved(
    store: Store, request_: InputRequest, database: TestDatabase
) -> None:
    await store.of("ada").requests.settle(request_.id, to=RequestState.ACCEPTED)
    assert not await store.of("ada").drafts.save(request_.id, TEXTS)
    assert not await store.of("ada").drafts.save("unknown", TEXTS)
    assert rows(database) == 0


@pytest.mark.parametrize("state", UNSENT)
async def test_a_draft_stays_a_day_after_an_end_that_sends_no_text(
    store: Store, request_: InputRequest, other_moment: Move, state: RequestState
) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    await store.of("ada").requests.settle(request_.id, to=state)
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}
    other_moment(LIFETIME_AFTER_END + timedelta(seconds=1))
    await store.system.end_leftovers(Reason(ReasonCode.CLIENT_STOPPED), resumed=())
    assert await store.of("ada").drafts.find([request_.id]) == {}


async def test_the_end_of_a_request_leaves_drafts_of_pending_ones(
    store: Store, request_: InputRequest, other_moment: Move
) -> None:
    ended = a_request()
    await store.of(ended.user_id).requests.add(ended)
    await store.of("ada").drafts.save(request_.id, TEXTS)
    other_moment(LIFETIME_AFTER_END + timedelta(seconds=1))
    await store.of("ada").requests.settle(ended.id, to=RequestState.WITHDRAWN)
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}


async def test_a_draft_just_after_the_end_is_saved(store: Store, request_: InputRequest, other_moment: Move) -> None:
    await store.of("ada").requests.settle(request_.id, to=RequestState.INTERRUPTED)
    assert await store.of("ada").drafts.save(request_.id, TEXTS)
    other_moment(GRACE + timedelta(seconds=1))
    assert not await store.of("ada").drafts.save(request_.id, GRACER)
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}


async def test_unsent_lists_drafts_of_requests_that_ended_unsent(
    store: Store, request_: InputRequest, other_moment: Move
) -> None:
    unsent = []
    for state in (*UNSENT, RequestState.ACCEPTED):
        each = a_request()
        await store.of(each.user_id).requests.add(each)
        await store.of("ada").drafts.save(each.id, TEXTS)
        ended = await store.of("ada").requests.settle(each.id, to=state)
        assert ended
        assert ended.ended_unsent is (state is not RequestState.ACCEPTED)
        assert await store.of("ada").drafts.save(each.id, GRACER) is ended.ended_unsent
        if ended.ended_unsent:
            unsent.append(each.id)
    await store.of("ada").drafts.save(request_.id, TEXTS)
    assert await store.of("ada").drafts.unsent(10) == unsent[::-1]
    assert await store.of("ada").drafts.unsent(1) == unsent[-1:]
    assert await store.of("bob").drafts.unsent(10) == []
    other_moment(LIFETIME_AFTER_END + timedelta(seconds=1))
    assert await store.of("ada").drafts.unsent(10) == []


async def test_a_start_leaves_drafts_of_requests_it_interrupts(store: Store, request_: InputRequest) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    await store.system.end_leftovers(Reason(ReasonCode.CLIENT_STOPPED), resumed=())
    assert await store.of("ada").drafts.find([request_.id]) == {request_.id: Draft(TEXTS)}


async def test_a_prefilled_draft_says_so_until_it_is_edited(store: Store) -> None:
    filled = a_request()
    await store.of(filled.user_id).requests.add(filled, prefills={filled.id: TEXTS})
    assert await store.of("ada").drafts.find([filled.id]) == {filled.id: Draft(TEXTS, prefilled=True)}
    await store.of("ada").drafts.save(filled.id, GRACER)
    assert await store.of("ada").drafts.find([filled.id]) == {filled.id: Draft(GRACER)}


async def test_an_unedited_prefilled_draft_is_not_unsent(store: Store) -> None:
    filled = a_request()
    await store.of(filled.user_id).requests.add(filled, prefills={filled.id: TEXTS})
    await store.of("ada").requests.settle(filled.id, to=RequestState.DECLINED)
    assert await store.of("ada").drafts.unsent(10) == []


async def test_saving_leaves_the_request_as_it_was(store: Store, request_: InputRequest) -> None:
    await store.of("ada").drafts.save(request_.id, TEXTS)
    assert await store.of("ada").requests.get(request_.id) == request_


async def test_saving_while_settling_leaves_no_draft(store: Store, database: TestDatabase) -> None:
    requests = [a_request() for _ in range(10)]
    for each in requests:
        await store.of(each.user_id).requests.add(each)
    saved = [store.of("ada").drafts.save(each.id, TEXTS) for each in requests for _ in range(3)]
    settled = [store.of("ada").requests.settle(each.id, to=RequestState.ACCEPTED) for each in requests]
    await asyncio.gather(
        *(one for pair in zip(saved[:10], settled, saved[10:20], saved[20:], strict=True) for one in pair)
    )
    assert rows(database) == 0
