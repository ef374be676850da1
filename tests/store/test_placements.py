"""Placements on a PostgreSQL that several stores share: a user lives on one node, and no other writes their rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tests.postgresql import PostgreSQL
from tests.store.rows import SECRET_KEYS, a_request
from webclient.domain.model import Reason, ReasonCode, RequestState, now
from webclient.store import MovedError, StorageError, Store

pytestmark = pytest.mark.anyio

NOWHERE = Path("nowhere")
STOPPED = Reason(ReasonCode.CLIENT_STOPPED)


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


@asynccontextmanager
async def node(url: str, name: str, *, keys: str = SECRET_KEYS) -> AsyncIterator[Store]:
    """Open a store as a node that shares the database."""
    store = Store(NOWHERE, url=url, node=name, shares=True, secret_keys=keys)
    await store.open()
    try:
        await store.placements.join("1", {})
        yield store
    finally:
        await store.close()


async def test_a_user_lives_on_one_node_that_all_know(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        assert await b.placements.find("ada") is None
        home = await a.placements.place("ada")
        assert home == "a"
        assert await b.placements.find("ada") == home == await b.placements.place("ada")


async def test_only_the_home_of_a_user_writes_their_rows(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        await a.placements.place("ada")
        request = a_request()
        await a.of("ada").requests.add(request)
        with pytest.raises(MovedError):
            await b.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
        assert (await b.of("ada").requests.get(request.id)).pending


async def test_a_user_without_a_home_is_written_by_no_node(url: str) -> None:
    async with node(url, "a") as a:
        with pytest.raises(MovedError):
            await a.of("ada").requests.add(a_request())


async def test_the_users_of_a_dead_node_are_adopted_once(url: str) -> None:
    async with node(url, "b") as b, node(url, "c") as c:
        async with node(url, "a") as a:
            await a.placements.place("ada")
            await a.of("ada").requests.add(a_request())
            await b.placements.renew()
            assert await b.placements.adopt(10) == []
        # Its lock goes with its connection, once the server has noticed.
        while "a" in (await b.placements.renew()).nodes:
            pass
        adopted = [await b.placements.adopt(10), await c.placements.adopt(10)]
        assert adopted == [["ada"], []]


async def test_a_node_that_wakes_after_a_takeover_changes_nothing(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        await a.placements.place("ada")
        request = a_request()
        await a.of("ada").requests.add(request)
        await a.placements.leave()
        assert await b.placements.adopt(10) == ["ada"]
        await b.system.end_leftovers(STOPPED, resumed=[], user_id="ada")
        assert (await a.placements.renew()).users == frozenset()
        with pytest.raises(MovedError):
            await a.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
        assert (await b.of("ada").requests.get(request.id)).state is RequestState.INTERRUPTED


async def test_a_user_who_comes_back_finds_what_they_left(url: str) -> None:
    async with node(url, "a") as a:
        await a.placements.place("ada")
        request = a_request()
        await a.of("ada").requests.add(request)
        await a.placements.release("ada")
        await a.system.leave_over("ada")
        await a.placements.place("ada")
        await a.system.end_leftovers(STOPPED, resumed=[], user_id="ada")
        assert (await a.of("ada").requests.get(request.id)).state is RequestState.INTERRUPTED


async def test_leftovers_of_others_stay_as_they_are(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        for user_id in ("ada", "bob"):
            await a.placements.place(user_id)
            await a.of(user_id).requests.add(a_request(user_id=user_id))
        await a.placements.release("ada")
        await b.placements.adopt(10)
        await b.system.end_leftovers(STOPPED, resumed=[], user_id="ada")
        states = [(await b.of(each).requests.find())[0].state for each in ("ada", "bob")]
        assert states == [RequestState.INTERRUPTED, RequestState.PENDING]


async def test_a_leaving_node_keeps_its_users_and_gets_no_others(url: str) -> None:
    async with node(url, "a") as a, node(url, "b"):
        await a.placements.place("ada")
        await a.placements.begin_to_leave()
        bob = await a.placements.place("bob")
        ada = await a.placements.find("ada")
        assert (ada, bob) == ("a", "b")
        await a.of("ada").requests.add(a_request())


async def test_new_users_go_to_a_node_with_clearly_fewer(url: str) -> None:
    async with node(url, "a") as a, node(url, "b"):
        homes = [await a.placements.place(f"user-{n}") for n in range(20)]
        counts = [homes.count(each) for each in ("a", "b")]
        assert counts[0] > counts[1] >= 5


async def test_two_nodes_with_one_id_do_not_run_together(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.store.database.postgresql.LOCK_TIMEOUT", "100ms")
    async with node(url, "a"):
        second = Store(NOWHERE, url=url, node="a", shares=True, secret_keys=SECRET_KEYS)
        with pytest.raises(StorageError) as refused:
            await second.open()
        assert refused.value.reason.code is ReasonCode.NODE_IN_USE
        await second.close()


async def test_a_store_that_shares_excludes_one_that_does_not(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.store.database.postgresql.LOCK_TIMEOUT", "100ms")
    async with node(url, "a"):
        alone = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
        with pytest.raises(StorageError) as refused:
            await alone.open()
        assert refused.value.reason.code is ReasonCode.DATABASE_IN_USE
        await alone.close()


async def test_nodes_with_other_keys_are_refused(url: str) -> None:
    async with node(url, "a"):
        with pytest.raises(StorageError) as refused:
            async with node(url, "b", keys="k1:" + "QUJE" * 10 + "QUI="):
                pass
        assert refused.value.reason.code is ReasonCode.NODES_DIFFER


async def test_operators_see_nodes_with_their_users(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        await a.placements.place("ada")
        await b.placements.leave()
        shown = [(each.id, each.is_alive, each.users) for each in await a.placements.nodes()]
        assert shown == [("a", True, 1), ("b", False, 0)]


async def test_a_store_that_does_not_share_ends_what_nodes_have_left(url: str) -> None:
    """An operator may go back to one process: it is alone, so all nodes have ended."""
    async with node(url, "a") as a:
        await a.placements.place("ada")
        request = a_request(expires_at=now() - timedelta(minutes=1))
        await a.of("ada").requests.add(request)
    alone = Store(NOWHERE, url=url, secret_keys=SECRET_KEYS)
    await alone.open()
    await alone.system.end_leftovers(STOPPED, resumed=[])
    assert (await alone.of("ada").requests.get(request.id)).state is RequestState.INTERRUPTED
    await alone.close()


async def test_every_node_knows_who_lives_on_any(url: str) -> None:
    async with node(url, "a") as a, node(url, "b") as b:
        await a.placements.place("ada")
        assert await b.placements.placed(["ada", "bob"]) == {"ada"}
