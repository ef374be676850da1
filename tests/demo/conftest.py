"""The demo server, started once over HTTP and once per connection over stdio."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.demo.visits import COMMAND, Target, Visit, over_stdio, visiting
from tests.mcp_servers import started
from webclient.domain.model import Era

CONNECTIONS = [(transport, era) for transport in ("stdio", "http") for era in (Era.PUSH, Era.ROUNDS)]


@pytest.fixture(scope="package")
async def demo_url(anyio_backend: str) -> AsyncIterator[str]:  # noqa: ARG001
    """The demo server over HTTP."""
    async with started([*COMMAND, "--http"], announce="Demo server") as server:
        yield server.address


@pytest.fixture(scope="package", params=CONNECTIONS, ids="-".join)
async def visit(request: pytest.FixtureRequest, demo_url: str) -> AsyncIterator[Visit]:
    """A visit over each transport in each era."""
    transport, era = request.param
    target: Target = demo_url if transport == "http" else over_stdio()
    async with visiting(target, era) as visit:
        yield visit
