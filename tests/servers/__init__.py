"""Real MCP servers in processes of their own: `asker` on the SDK, `raw` for what the SDK would not send."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from webclient.model import Json

ROOT = Path(__file__).parents[2]
"""Where `python -m tests.servers.NAME` works."""

STATE_KEY = "a key of these tests, the same before and after a restart"
"""For `--state-key`: a server that is started again with it honours the `requestState` of its predecessor."""

PATIENCE = 5.0
"""How long a server may take to end after SIGTERM, in seconds, before it is killed."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that listens: where it is reached, and its process."""

    address: str
    pid: int

    @property
    def port(self) -> int:
        """The port it listens on, for starting another in its place."""
        return int(self.address.split(":")[2].partition("/")[0])

    def kill(self) -> None:
        """End it at once, as a crash would; when this returns, nothing listens any more."""
        os.kill(self.pid, signal.SIGKILL)
        # Whoever started it reaps it, before this looks or after; when there is no such child, it is gone.
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)


def command(name: str, *arguments: str) -> list[str]:
    """Return the command line that starts server `name`; it works in `ROOT`."""
    return [sys.executable, "-m", f"tests.servers.{name}", *arguments]


def stdio(name: str, *arguments: str) -> Json:
    """Return the `transport` of a configured server that starts server `name` over stdio."""
    program, *rest = command(name, *arguments)
    return {"type": "stdio", "command": program, "args": rest, "env": None, "cwd": str(ROOT)}


@asynccontextmanager
async def running(
    name: str = "asker",
    *,
    transport: Literal["http", "sse"] = "http",
    era: str = "auto",
    port: int = 0,
    arguments: Sequence[str] = (),
) -> AsyncIterator[RunningServer]:
    """Start server `name`, give where it listens, and end it by its pid.

    `era` limits the server to one era, `port` takes the place of one that ended.
    """
    options = ["--transport", transport, "--era", era, "--port", str(port), *arguments]
    async with started(command(name, *options), announce="Listening") as server:
        yield server


@asynccontextmanager
async def started(
    command: Sequence[str], *, announce: str, cwd: Path = ROOT, stderr: IO[str] | None = None
) -> AsyncIterator[RunningServer]:
    """Start a command whose first line is `ANNOUNCE: URL`, give that, and end it by its pid."""
    async with await anyio.open_process(command, stdin=subprocess.DEVNULL, stderr=stderr, cwd=cwd) as process:
        try:
            yield RunningServer(await _address(process, announce), process.pid)
        finally:
            await _end(process)


async def _address(process: Process, announce: str) -> str:
    assert process.stdout
    text = ""
    async for chunk in TextReceiveStream(process.stdout):
        text += chunk
        if "\n" in text:
            return text.partition("\n")[0].removeprefix(f"{announce}: ")
    raise AssertionError(f"the server ended before it listened; it printed {text!r}")


async def _end(process: Process) -> None:
    # Signals go by pid: Popen would reap a process that has just ended, behind the event loop's back.
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        with anyio.move_on_after(PATIENCE):
            await process.wait()
            return
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
