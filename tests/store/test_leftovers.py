"""A start ends or takes over what an earlier run of the same node left open, and nothing of other nodes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from webclient.domain.model import (
    Call,
    CallKind,
    CallState,
    Delivery,
    Json,
    Origin,
    Reason,
    ReasonCode,
    RequesterIds,
    RequestState,
    now,
)
from webclient.store import Store
from webclient.store.system import DueRequests

pytestmark = pytest.mark.anyio

STOPPED = Reason(ReasonCode.CLIENT_STOPPED)
CALL = Call(
    user_id="ada",
    server_id="s1",
    server_label="travel",
    kind=CallKind.TOOL,
    name="book",
    state=CallState.INPUT_REQUIRED,
    arguments={"token": "x"},
    withheld=("token",),
    checkpoint={"version": 1},
)
REQUEST = a_request(call_id=CALL.id, origin=Origin.ROUND)
SENT = a_request(call_id=CALL.id, origin=Origin.ROUND)
LINK = a_request(call_id=CALL.id, origin=Origin.REQUIRED)


@asynccontextmanager
async def started(database: TestDatabase, node: str) -> AsyncIterator[Store]:
    store = database.store(node=node)
    await store.open()
    yield store
    await store.close()


async def fill(store: Store) -> None:
    """Add an open call with a request of each kind that can be left."""
    ada = store.of("ada")
    await ada.calls.add(CALL)
    for request in (REQUEST, SENT, LINK):
        await ada.requests.add(request)
    secret = {"name": "Ada"}
    await ada.requests.settle(
        SENT.id,
        to=RequestState.ACCEPTED,
        content=secret,
        withheld=secret,
        secrets_for=CALL.id,
        delivery=Delivery.SENDING,
    )
    await ada.requests.settle(LINK.id, to=RequestState.WAITING)


async def states(store: Store) -> list[str | None]:
    """Return the states of what `fill` added."""
    ada = store.of("ada")
    request, sent, link = [await ada.requests.get(each.id) for each in (REQUEST, SENT, LINK)]
    return [(await ada.calls.get(CALL.id)).state, request.state, sent.delivery, link.state]


OPEN = [CallState.INPUT_REQUIRED, RequestState.PENDING, Delivery.SENDING, RequestState.WAITING]
ENDED = [CallState.INTERRUPTED, RequestState.INTERRUPTED, Delivery.UNKNOWN, RequestState.INTERRUPTED]


async def end_leftovers(store: Store, *resumed: str) -> None:
    await store.system.end_leftovers(STOPPED, resumed=resumed)


async def test_a_start_leaves_the_open_rows_of_another_node(tmp_path: Path) -> None:
    """On SQLite only: on PostgreSQL, one node at a time has the lock."""
    database = TestDatabase(tmp_path)
    async with started(database, "a") as first, started(database, "b") as second:
        await fill(first)
        assert await second.system.resumable_calls() == []
        await end_leftovers(second)
        assert await states(first) == OPEN
        assert (await first.of("ada").calls.get(CALL.id)).arguments == {"token": "x"}
        assert (await first.of("ada").requests.get(SENT.id)).content == {"name": "Ada"}


async def test_a_start_leaves_the_open_rows_of_its_own_run(database: TestDatabase) -> None:
    async with started(database, "a") as store:
        await fill(store)
        assert await store.system.resumable_calls() == []
        await end_leftovers(store)
        assert await states(store) == OPEN


async def test_a_restart_takes_over_what_servers_fetch(database: TestDatabase) -> None:
    """After a crash as well: a server comes back for the answer to a question that it asked as a task."""
    waits = a_request(
        call_id=CALL.id,
        origin=Origin.HOSTED,
        ids=RequesterIds(hosted_task_id="t1"),
        expires_at=now() + timedelta(days=7),
    )
    resumed = replace(waits, id="resumed", call_id="c2", ids=RequesterIds(hosted_task_id="t2"))
    answered = replace(waits, id="answered", ids=RequesterIds(hosted_task_id="t3"))
    async with started(database, "a") as store:
        await fill(store)
        await store.of("ada").requests.add(waits, resumed, answered)
        sent: Json = {
            "content": {"name": "Ada"},
            "withheld": ["name"],
            "secrets_for": "t3",
            "delivery": Delivery.SENDING,
        }
        await store.of("ada").requests.settle(answered.id, to=RequestState.ACCEPTED, **sent)
    async with started(database, "a") as restarted:
        await end_leftovers(restarted, "c2")
        rows = await restarted.of("ada").requests.by_ids([waits.id, resumed.id, answered.id])
        assert {rows[each.id].state for each in (waits, resumed)} == {RequestState.PENDING}
        assert rows[waits.id].reason_code is ReasonCode.CALL_ENDED_EARLY
        assert rows[resumed.id].reason is None
        assert (rows[answered.id].delivery, rows[answered.id].content) == (Delivery.SENDING, {"name": "Ada"})
        due = await restarted.system.due(now() + timedelta(days=8), now() + timedelta(days=9))
        assert {each.id for each in due.late} == {waits.id, resumed.id}


async def test_a_restart_ends_what_its_node_left_open(database: TestDatabase) -> None:
    async with started(database, "a") as store:
        await fill(store)
    async with started(database, "a") as restarted:
        assert [call.id for call in await restarted.system.resumable_calls()] == [CALL.id]
        await end_leftovers(restarted)
        assert await states(restarted) == ENDED
        assert (await restarted.of("ada").calls.get(CALL.id)).arguments == {"token": None}
        assert (await restarted.of("ada").requests.get(SENT.id)).content == {"name": None}


async def test_a_resumed_call_belongs_to_the_run_that_resumed_it(database: TestDatabase) -> None:
    async with started(database, "a") as store:
        await fill(store)
    async with started(database, "a") as restarted:
        await end_leftovers(restarted, CALL.id)
        assert await states(restarted) == OPEN
        assert await restarted.system.resumable_calls() == []
        await end_leftovers(restarted)
        assert await states(restarted) == OPEN
    async with started(database, "a") as once_more:
        await end_leftovers(once_more)
        assert await states(once_more) == ENDED


async def test_a_pushed_link_goes_on_waiting_after_a_restart(database: TestDatabase) -> None:
    pushed = replace(LINK, origin=Origin.PUSHED)
    async with started(database, "a") as store:
        await store.of("ada").requests.add(pushed)
        await store.of("ada").requests.settle(pushed.id, to=RequestState.WAITING)
    async with started(database, "a") as restarted:
        await end_leftovers(restarted)
        assert (await restarted.of("ada").requests.get(pushed.id)).state is RequestState.WAITING


async def test_a_deadline_of_another_node_is_left_to_it(tmp_path: Path) -> None:
    """On SQLite only: on PostgreSQL, one node at a time has the lock."""
    database = TestDatabase(tmp_path)
    soon = now()
    late = a_request(expires_at=soon - timedelta(minutes=1))
    near = a_request(expires_at=soon + timedelta(minutes=1))
    next_one = a_request(expires_at=soon + timedelta(hours=1))
    async with started(database, "a") as first, started(database, "b") as second:
        for request in (late, near, next_one):
            await first.of("ada").requests.add(request)
        due = await first.system.due(soon, soon + timedelta(minutes=10))
        assert [each.id for each in due.late] == [late.id]
        assert [id_ for _user, id_, _expires_at in due.near] == [near.id]
        assert due.next == next_one.expires_at
        assert await second.system.due(soon, soon + timedelta(minutes=10)) == DueRequests([], [], None)


async def test_a_saved_answer_of_a_call_that_ends_has_failed(database: TestDatabase) -> None:
    saved = a_request(call_id=CALL.id, origin=Origin.ROUND, total=2)
    async with started(database, "a") as first:
        await fill(first)
        await first.of("ada").requests.add(saved)
        await first.of("ada").requests.settle(saved.id, to=RequestState.ACCEPTED, delivery=Delivery.SAVED)
    async with started(database, "a") as second:
        await end_leftovers(second, CALL.id)
        assert (await second.of("ada").requests.get(saved.id)).delivery is Delivery.SAVED
    async with started(database, "a") as third:
        await end_leftovers(third)
        assert (await third.of("ada").requests.get(saved.id)).delivery is Delivery.FAILED
