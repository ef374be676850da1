"""What all tests share: one event loop, and one core with real servers for the tests that break nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.house import House, configured, house
from tests.mcp_servers import running
from tests.program import Api, Program
from webclient.store import Store


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests and fixtures on one asyncio loop."""
    return "asyncio"


@pytest.fixture(scope="session")
async def shared(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    """A core connected to the asking server over each transport in each era; tests leave it as they found it."""
    async with running() as http, running(transport="sse") as sse:
        servers = configured(http=http.address, sse=sse.address)
        async with house(tmp_path_factory.mktemp("shared"), servers) as shared:
            for config in servers:
                await shared.connected(config.name)
            yield shared


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An open store of the test's own."""
    store = Store(tmp_path)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def api(served: Program) -> AsyncIterator[Api]:
    """The JSON API of the program that the module has as `served`."""
    async with served.client() as api:
        yield api
