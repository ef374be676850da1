"""Tasks of 2026-07-28 with the one published server of them: FastMCP 4 and its extension, over stdio and HTTP."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.house import PATIENCE, House, config, house
from tests.mcp_servers import ROOT
from webclient.calls import polling
from webclient.domain.model import Action, CallState, Delivery, Json, ReasonCode, Task

pytestmark = pytest.mark.anyio

PYTHON = str(ROOT / "build/mcp-2/bin/python")
SERVER = str(Path(__file__).parent / "on_fastmcp_4.py")
SAID: Json = {"role": "assistant", "content": {"type": "text", "text": "lovely"}, "model": "a person"}


@asynccontextmanager
async def reached_over(transport: str) -> AsyncIterator[Json]:
    """Run the server, and give the `transport` of a configured server that reaches it."""
    if transport == "stdio":
        yield {"type": "stdio", "command": PYTHON, "args": [SERVER], "env": None, "cwd": str(ROOT)}
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    async with await anyio.open_process([PYTHON, SERVER, str(port)], stdin=subprocess.DEVNULL) as process:
        try:
            await _listens(port)
            yield {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}
        finally:
            process.kill()


async def _listens(port: int) -> None:
    """Wait until a program listens on the port: the server does not say so."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
            except OSError:
                await anyio.sleep(0.05)
            else:
                return


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_tasks_on_fastmcp_4(tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two questions at once and one after, answered apart; a failing tool; a cancelled one; a question left open."""
    usual = polling.PollScheduler.pause
    # The server wishes for five seconds between two polls, which is tested elsewhere.
    monkeypatch.setattr(polling.PollScheduler, "pause", lambda *given: usual(*given) / 50)
    async with reached_over(transport) as reached, house(tmp_path, [config("it", reached)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "trip")
        where, praise = sorted(await rooms.pending_requests(call, 2), key=lambda each: each.kind)
        await rooms.answer(praise, Action.ACCEPT, SAID)
        await rooms.answer(where, Action.ACCEPT, {"city": "Rome"})
        [then] = await rooms.pending_requests(call)
        assert (then.params["message"], then.round, then.ids.task_id) == ("And then?", 2, where.ids.task_id)
        await rooms.answer(then, Action.DECLINE)
        done = await rooms.ended(call)
        assert done.state is CallState.DONE
        assert done.result
        assert done.result["content"][0]["text"] == "Rome (lovely), decline"
        assert {each.delivery for each in await rooms.services.inbox.of_call(done)} == {Delivery.DELIVERED}
        await _fails(rooms)
        await _cancels(rooms)


async def _fails(rooms: House) -> None:
    failed = await rooms.ended(await rooms.call("it", "broken"))
    # The error of a tool is a result, in contrast to 2025-11-25.
    assert (failed.state, failed.tool_failed) == (CallState.DONE, True)
    assert failed.task


async def _cancels(rooms: House) -> None:
    call = await rooms.call("it", "slow")

    async def task() -> Task | None:
        return (await rooms.services.store.of("local").calls.get(call.id)).task

    assert (await rooms.until(task)).ttl == 900_000
    cancelled = await rooms.services.calls.cancel(call)
    assert (cancelled.state, cancelled.reason_code) == (CallState.CANCELLED, ReasonCode.CALL_CANCELLED)
