"""Servers that take their time to start, never do, or write what is not a message: seen, told, connected."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.model import CallState, Era, Json, ReasonCode, ServerState, ServerStatus

pytestmark = pytest.mark.anyio


def python(code: str) -> Json:
    """Return the transport of a stdio server that runs this code."""
    return {"type": "stdio", "command": sys.executable, "args": ["-c", code]}


async def _seen(rooms: House, name: str, field: str) -> ServerStatus:
    server = await rooms.server(name)

    async def look() -> ServerStatus | None:
        status = rooms.services.connections.status(server.id)
        return status if getattr(status, field) else None

    return await rooms.until(look)


async def test_a_server_that_never_answers_is_tried_again_and_says_so(tmp_path: Path) -> None:
    servers = [config("stuck", python("import sys; [... for _ in sys.stdin]"))]
    async with house(tmp_path, servers, connect_seconds=0.5) as rooms:
        first = await rooms.status("stuck", ServerState.RECONNECTING)
        last = await rooms.status("stuck", ServerState.ERROR)
        for status in (first, last):
            assert status.error
            assert (status.reason_code, status.error.reason.params["seconds"]) == (
                ReasonCode.PROCESS_NOT_READY_SILENT,
                0.5,
            )


async def test_a_try_that_ran_out_leaves_the_next_one_less_to_load(tmp_path: Path) -> None:
    """As with `npx`: what the first try has loaded is there when the second begins."""
    loaded = tmp_path / "loaded"
    command = [stdio("dual")["command"], *stdio("dual")["args"]]
    code = f"""
import os, pathlib, sys
loaded = pathlib.Path({str(loaded)!r})
if loaded.exists():
    os.execv({command[0]!r}, {command!r})
loaded.touch()
for _ in sys.stdin: pass
"""
    transport = stdio("dual") | python(code)
    async with house(tmp_path, [config("slow", transport)], connect_seconds=5) as rooms:
        await rooms.status("slow", ServerState.RECONNECTING)
        await rooms.connected("slow")


async def test_what_a_starting_server_writes_to_stderr_is_shown_until_it_is_there(tmp_path: Path) -> None:
    async with house(tmp_path, [config("slow", stdio("dual", "--after", "1.5"))]) as rooms:
        status = await _seen(rooms, "slow", "startup_output")
        assert (status.state, status.startup_output) == (ServerState.CONNECTING, "dual: loading")
        server = await rooms.connected("slow")
        assert rooms.services.connections.status(server.id).startup_output is None


async def test_lines_that_are_not_messages_are_skipped_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They are half in Latin-1: bytes that are not UTF-8 end the SDK's stream."""
    servers = [config("noisy", stdio("dual", "--noise", "500"), Era.PUSH)]
    with caplog.at_level(logging.WARNING):
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("noisy")
            status = await _seen(rooms, "noisy", "skipped")
            assert (status.skipped or {})["first"] == "Listening on stdio"
            call = await rooms.call("noisy", "ask")
            [request] = await rooms.asked(call)
            assert request.params["message"] == "What is your name?"
            assert (await rooms.services.calls.cancel(call)).state is CallState.CANCELLED
    assert [record.name for record in caplog.records] == ["webclient.protocol.stdout"]
    assert all(record.exc_info is None for record in caplog.records)


async def test_the_count_of_skipped_lines_is_told_seldom_and_in_the_end_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webclient.protocol.stdout.PAUSE", 0.05)
    async with house(tmp_path, [config("noisy", stdio("dual", "--noise", "500"), Era.PUSH)]) as rooms:
        server = await rooms.connected("noisy")

        async def look() -> bool:
            return (rooms.services.connections.status(server.id).skipped or {}).get("count") == 500

        assert await rooms.until(look)
