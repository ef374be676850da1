"""A start ends or takes over what an earlier run of the same node left open, and nothing of other nodes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.rows import a_request
from tests.store.test_upgrade import at_revision, changing
from webclient.model import LOCAL_USER, Call, CallKind, CallState, Came, Delivery, Reason, ReasonCode, RequestState
from webclient.store import Store

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
REQUEST = a_request(call_id=CALL.id, came=Came.ROUND)
SENT = a_request(call_id=CALL.id, came=Came.ROUND)
LINK = a_request(call_id=CALL.id, came=Came.REQUIRED)


@asynccontextmanager
async def started(folder: Path, node: str) -> AsyncIterator[Store]:
    store = Store(folder, node=node)
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
ENDED = [CallState.INTERRUPTED, RequestState.INTERRUPTED, Delivery.FAILED, RequestState.INTERRUPTED]


async def end_leftovers(store: Store, *resumed: str) -> None:
    await store.system.end_leftovers(STOPPED, resumed=resumed)


async def test_a_start_leaves_the_open_rows_of_another_node(tmp_path: Path) -> None:
    async with started(tmp_path, "a") as first, started(tmp_path, "b") as second:
        await fill(first)
        assert await second.system.resumable_calls() == []
        await end_leftovers(second)
        assert await states(first) == OPEN
        assert (await first.of("ada").calls.get(CALL.id)).arguments == {"token": "x"}
        assert (await first.of("ada").requests.get(SENT.id)).content == {"name": "Ada"}


async def test_a_start_leaves_the_open_rows_of_its_own_run(tmp_path: Path) -> None:
    async with started(tmp_path, "a") as store:
        await fill(store)
        assert await store.system.resumable_calls() == []
        await end_leftovers(store)
        assert await states(store) == OPEN


async def test_a_restart_ends_what_its_node_left_open(tmp_path: Path) -> None:
    async with started(tmp_path, "a") as store:
        await fill(store)
    async with started(tmp_path, "a") as restarted:
        assert [call.id for call in await restarted.system.resumable_calls()] == [CALL.id]
        await end_leftovers(restarted)
        assert await states(restarted) == ENDED
        assert (await restarted.of("ada").calls.get(CALL.id)).arguments == {"token": None}
        assert (await restarted.of("ada").requests.get(SENT.id)).content == {"name": None}


async def test_a_resumed_call_belongs_to_the_run_that_resumed_it(tmp_path: Path) -> None:
    async with started(tmp_path, "a") as store:
        await fill(store)
    async with started(tmp_path, "a") as restarted:
        await end_leftovers(restarted, CALL.id)
        assert await states(restarted) == OPEN
        assert await restarted.system.resumable_calls() == []
        await end_leftovers(restarted)
        assert await states(restarted) == OPEN
    async with started(tmp_path, "a") as once_more:
        await end_leftovers(once_more)
        assert await states(once_more) == ENDED


async def test_a_start_ends_the_open_rows_of_earlier_versions(tmp_path: Path) -> None:
    path = at_revision(tmp_path, "0017")
    with changing(path) as db:
        db.execute("UPDATE calls SET state = 'running'")
        db.execute("UPDATE requests SET state = 'pending'")
    async with started(tmp_path, "a") as store:
        await end_leftovers(store)
        assert (await store.of(LOCAL_USER).calls.get("c1")).state is CallState.INTERRUPTED
        assert (await store.of(LOCAL_USER).requests.get("r1")).state is RequestState.INTERRUPTED


async def test_a_pushed_link_goes_on_waiting_after_a_restart(tmp_path: Path) -> None:
    pushed = replace(LINK, came=Came.PUSHED)
    async with started(tmp_path, "a") as store:
        await store.of("ada").requests.add(pushed)
        await store.of("ada").requests.settle(pushed.id, to=RequestState.WAITING)
    async with started(tmp_path, "a") as restarted:
        await end_leftovers(restarted)
        assert (await restarted.of("ada").requests.get(pushed.id)).state is RequestState.WAITING
