"""The engine stands cancelled queries and many writes at once."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import anyio
import pytest

from tests.store.rows import a_request
from webclient.model import RequestState
from webclient.store import Store
from webclient.store.database import CONNECTIONS, FILE

pytestmark = pytest.mark.anyio


async def test_cancelled_queries_leave_no_connection_open(store: Store) -> None:
    """They are cancelled by anyio, as Starlette and the MCP SDK do it; what was begun is finished."""
    await store.of("ada").requests.add(a_request())
    for _each in range(50):
        async with anyio.create_task_group() as group:
            for _at_once in range(5):
                group.start_soon(store.of("ada").requests.find)
            await asyncio.sleep(0)
            group.cancel_scope.cancel()
    assert open_databases() <= CONNECTIONS


def open_databases() -> int:
    """Return how often this process has a database open (Linux)."""
    return sum(os.path.realpath(file).endswith(FILE) for file in Path("/proc/self/fd").iterdir())


async def test_hundreds_of_simultaneous_writes_succeed(store: Store) -> None:
    requests = [a_request() for _ in range(300)]
    await asyncio.gather(*(store.of(request.user_id).requests.add(request) for request in requests))
    settled = await asyncio.gather(
        *(store.of("ada").requests.settle(request.id, to=RequestState.DECLINED) for request in requests)
    )
    assert all(settled)
