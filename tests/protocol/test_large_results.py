"""Results over the limit, over each transport: the call says so, and that it has run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running, stdio
from webclient.domain.model import CallState, Era, Reason, ReasonCode, ServerState

pytestmark = pytest.mark.anyio

LIMIT = 2**20


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    async with running() as events, running(arguments=["--json"]) as whole, running(transport="sse") as stream:
        servers = [
            config("events-push", {"type": "http", "url": events.address}, Era.PUSH),
            config("events-rounds", {"type": "http", "url": events.address}, Era.ROUNDS),
            config("json-rounds", {"type": "http", "url": whole.address}, Era.ROUNDS),
            config("stdio-push", stdio("asker"), Era.PUSH),
            config("stdio-rounds", stdio("asker"), Era.ROUNDS),
            config("sse", {"type": "sse", "url": stream.address}, Era.PUSH),
        ]
        async with house(tmp_path_factory.mktemp("large"), servers, max_message_bytes=LIMIT) as rooms:
            for server in servers:
                await rooms.connected(server.name)
            yield rooms


@pytest.mark.parametrize("server", ["events-push", "events-rounds", "json-rounds", "stdio-push", "stdio-rounds"])
async def test_a_result_over_the_limit_fails_the_call_that_has_run(rooms: House, server: str) -> None:
    ended = await rooms.ended(await rooms.call(server, "large", {"mebibytes": 2}))
    error = ended.error
    assert error
    assert (ended.state, ended.can_start_over, ended.result) == (CallState.FAILED, False, None)
    assert (error.ran, error.data["setting"]) == (True, "max_message_bytes")
    assert error.reason == Reason.of(ReasonCode.RESULT_TOO_LARGE, most=LIMIT, setting="max_message_bytes")
    # The connection stays open, and other calls with it.
    assert (await rooms.ended(await rooms.call(server, "structured"))).state is CallState.DONE


async def test_a_large_result_over_sse_ends_the_connection(rooms: House) -> None:
    ended = await rooms.ended(await rooms.call("sse", "large", {"mebibytes": 2}))
    assert ended.state is CallState.INTERRUPTED
    assert ended.error
    assert ended.error.reason
    await rooms.status("sse", ServerState.ERROR)
