"""The users of a node: who is let go after a doubt, and who stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import cast

import pytest

from webclient.cluster import Residents
from webclient.domain.model import now
from webclient.store import Placements
from webclient.store.placements import Renewal

pytestmark = pytest.mark.anyio


class _Placements:
    """The placements as the database has them; `looked` is set after each look."""

    node_id = "here"
    has_lock = True

    def __init__(self) -> None:
        self.users = {"ada"}
        self.looked = asyncio.Event()

    async def find(self, user_id: str) -> str:
        return "here" if user_id in self.users else "there"

    async def renew(self) -> Renewal:
        return Renewal(frozenset(self.users), {"here": {}}, now())

    async def adopt(self, _most: int) -> list[str]:
        self.looked.set()
        return []


class _Node:
    """A node on which Ada lives."""

    def __init__(self) -> None:
        self.placements = _Placements()
        self.residents = Residents(cast("Placements", self.placements), self._settle, self._let_go)
        self.gone = asyncio.Event()

    async def _settle(self, _user_id: str) -> None:
        pass

    async def _let_go(self, _user_id: str) -> None:
        self.gone.set()


@pytest.fixture
async def node() -> AsyncIterator[_Node]:
    """A node that looks for changes while the test runs."""
    node = _Node()
    assert await node.residents.home("ada") is None
    looking = asyncio.create_task(node.residents.run())
    await node.placements.looked.wait()
    node.placements.looked.clear()
    yield node
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking


async def test_a_user_taken_over_since_the_doubt_arose_stays(node: _Node) -> None:
    # Such as when a request that was forwarded to a node which has died comes back.
    node.residents.doubt("ada")
    await node.placements.looked.wait()
    assert node.residents.here == {"ada"}
    assert not node.gone.is_set()


async def test_a_doubted_user_of_another_node_is_let_go(node: _Node) -> None:
    node.placements.users.clear()
    node.residents.doubt("ada")
    async with asyncio.timeout(30):
        await node.gone.wait()
    assert node.residents.here == frozenset()
    assert await node.residents.home("ada") == "there"
