"""Servers that start slowly, or never: what is shown meanwhile, and when another attempt is made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.house import config, house
from tests.mcp_servers import stdio
from tests.protocol.waiting import status_with
from webclient.domain.model import Json, ReasonCode, ServerState

pytestmark = pytest.mark.anyio


def python(code: str) -> Json:
    """Return the transport of a stdio server that runs this code."""
    return {"type": "stdio", "command": sys.executable, "args": ["-c", code]}


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


@pytest.mark.slow
async def test_an_attempt_that_timed_out_helps_the_next_one(tmp_path: Path) -> None:
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


async def test_stderr_is_shown_while_a_server_starts(tmp_path: Path) -> None:
    async with house(tmp_path, [config("slow", stdio("dual", "--after", "1.5"))]) as rooms:
        status = await status_with(rooms, "slow", "startup_output")
        assert (status.state, status.startup_output) == (ServerState.CONNECTING, "dual: loading")
        server = await rooms.connected("slow")
        assert rooms.services.connections.status(server.key).startup_output is None
