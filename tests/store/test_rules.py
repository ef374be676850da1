"""The rules of a user change one after the other, and none is lost or read too late."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.store.conftest import TestDatabase
from webclient.domain.errors import NotFoundError
from webclient.domain.model import ADMINISTRATORS, Json, Rule, Then
from webclient.store import Store

pytestmark = pytest.mark.anyio


def a_rule(name: str, then: Then = Then.ASK) -> Rule:
    return Rule(id=name, then=then, tool=name)


def names(rules: Sequence[Rule]) -> list[str]:
    return [rule.id for rule in rules]


async def add(store: Store, name: str, user_id: str = "ada") -> None:
    await store.rules.change(user_id, lambda own: [a_rule(name), *own])


async def test_two_changes_at_once_both_hold(store: Store) -> None:
    await asyncio.gather(*(add(store, name) for name in "abcdefgh"))
    assert sorted(names(await store.rules.of("ada"))) == list("abcdefgh")


async def test_changes_of_two_processes_at_once_both_hold(store: Store, database: TestDatabase) -> None:
    other = database.store()
    await other.open_beside()
    await asyncio.gather(
        *(add(each, f"{name}{turn}") for turn in range(4) for name, each in (("a", store), ("b", other)))
    )
    await store.rules.look()
    assert len(await store.rules.of("ada")) == 8
    await other.close()


async def test_a_change_that_fails_leaves_the_rules(store: Store) -> None:
    await add(store, "a")

    def fail(_own: list[Rule]) -> list[Rule]:
        raise NotFoundError("There is no such rule.")

    with pytest.raises(NotFoundError):
        await store.rules.change("ada", fail)
    assert names(await store.rules.of("ada")) == ["a"]


async def test_rules_read_before_a_change_are_not_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    await add(store, "a")
    has_read, goes_on = asyncio.Event(), asyncio.Event()
    read = store.rules._get

    async def read_slowly(user_id: str) -> list[Rule]:
        found = await read(user_id)
        has_read.set()
        await goes_on.wait()
        return found

    monkeypatch.setattr(store.rules, "_get", read_slowly)
    reading = asyncio.create_task(store.rules.of("ada"))
    await has_read.wait()
    await add(store, "refuse")
    goes_on.set()
    assert names(await reading) == ["a"]
    assert names(await store.rules.of("ada")) == ["refuse", "a"]


async def test_rules_of_administrators_come_first(store: Store) -> None:
    await add(store, "own")
    await add(store, "everyone's", ADMINISTRATORS)
    assert names(await store.rules.all_for("ada")) == ["everyone's", "own"]
    assert names(await store.rules.all_for("bob")) == ["everyone's"]


async def test_a_rule_is_read_as_it_was_written(store: Store) -> None:
    arguments: Json = {"const": {}}
    rule = Rule(id="r", then=Then.RUN, agent="x", server="s", tool="t", annotations={"a": None}, arguments=arguments)
    await store.rules.change("ada", lambda _own: [rule])
    await store.rules.look()
    assert await store.rules.of("ada") == (rule,)
