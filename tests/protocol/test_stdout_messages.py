"""Lines on the standard output of a child that are not messages."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.house import config, house
from tests.mcp_servers import stdio
from tests.protocol.waiting import status_with
from webclient.domain.model import CallState, Era

pytestmark = pytest.mark.anyio


async def test_lines_that_are_not_messages_are_skipped_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """MCP 2025-11-25, Transports, stdio: a server MUST NOT write anything that is not a message.

    Half of the lines are Latin-1: bytes that are not UTF-8 end the SDK's stream.
    """
    servers = [config("noisy", stdio("dual", "--noise", "500"), Era.PUSH)]
    with caplog.at_level(logging.WARNING):
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("noisy")
            status = await status_with(rooms, "noisy", "skipped")
            assert (status.skipped or {})["first"] == "Listening on stdio"
            call = await rooms.call("noisy", "ask")
            [request] = await rooms.pending_requests(call)
            assert request.params["message"] == "What is your name?"
            assert (await rooms.services.calls.cancel(call)).state is CallState.CANCELLED
    assert [record.name for record in caplog.records] == ["webclient.protocol.transports.stdout_messages"]
    assert all(record.exc_info is None for record in caplog.records)


async def test_the_count_of_skipped_lines_is_reported_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.protocol.transports.stdout_messages.PAUSE", 0.05)
    async with house(tmp_path, [config("noisy", stdio("dual", "--noise", "500"), Era.PUSH)]) as rooms:
        server = await rooms.connected("noisy")

        async def look() -> bool:
            return (rooms.services.connections.status(server.key).skipped or {}).get("count") == 500

        assert await rooms.until(look)
