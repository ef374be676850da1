"""Children have pipes, and nothing else of this program, on each event loop."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from tests.house import PATIENCE
from webclient.protocol.transports.child_pipes import PipedChild, start

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Return the event loop of a test."""
    if request.param:
        pytest.importorskip("uvloop")
    return "asyncio", {"use_uvloop": request.param}


@asynccontextmanager
async def child(*command: str) -> AsyncIterator[PipedChild]:
    """Start a child; in the end it must have ended, or is killed."""
    started = await start(command, env=None, stderr=sys.stderr, cwd=None)
    try:
        with anyio.fail_after(PATIENCE):
            yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.aclose()


async def read(started: PipedChild) -> bytes:
    """Return all that a child writes."""
    return b"".join([piece async for piece in started.stdout])


async def write(started: PipedChild, *, times: int) -> None:
    """Write some bytes to a child again and again."""
    for _each in range(times):
        await started.stdin.send(b"a")


async def test_a_child_reads_and_writes_more_than_a_pipe_has() -> None:
    async with child("cat") as echo:
        await echo.stdin.send(b"a" * 300_000)
        await echo.stdin.aclose()
        assert await read(echo) == b"a" * 300_000
        assert await echo.wait() == 0


async def test_a_child_can_open_its_input_and_output() -> None:
    async with child("sh", "-c", "cat /dev/stdin > /dev/stdout") as echo:
        await echo.stdin.send(b"Hello")
        await echo.stdin.aclose()
        assert await read(echo) == b"Hello"


async def test_a_child_has_three_open_files() -> None:
    async with child(sys.executable, "-c", "import os; print(sorted(map(int, os.listdir('/dev/fd')))[:4])") as lists:
        *standard, listing = (await read(lists)).decode().strip("[]\n").split(", ")
        assert standard == ["0", "1", "2"]
        assert int(listing) > 2


async def test_the_end_is_seen_while_a_grandchild_lives() -> None:
    async with child("sh", "-c", "sleep 600 < /dev/null > /dev/null 2>&1 & echo $!") as parent:
        grandchild = int(await read(parent))
        try:
            assert await parent.wait() == 0
        finally:
            os.kill(grandchild, signal.SIGKILL)


async def test_a_signal_ends_a_child() -> None:
    async with child("cat") as echo:
        echo.terminate()
        assert await echo.wait() == -signal.SIGTERM
        with pytest.raises(anyio.BrokenResourceError):
            # The first ones may still fit in the pipe.
            await write(echo, times=3)


async def test_reading_ends_when_the_output_is_closed() -> None:
    async with child("cat") as echo, anyio.create_task_group() as group:

        async def reads() -> None:
            with pytest.raises(anyio.ClosedResourceError):
                await echo.stdout.receive()

        group.start_soon(reads)
        await anyio.wait_all_tasks_blocked()
        await echo.stdout.aclose()


async def test_a_closed_input_takes_no_bytes() -> None:
    async with child("cat") as echo:
        await echo.stdin.aclose()
        with pytest.raises(anyio.ClosedResourceError):
            await echo.stdin.send(b"a")


async def test_a_command_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        await start(["/nowhere/to/be/found"], env=None, stderr=sys.stderr, cwd=None)
