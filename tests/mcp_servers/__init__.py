"""Real MCP servers in processes of their own: `asker` on the SDK, `raw` for what the SDK would not send."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Literal

import anyio
from anyio.streams.text import TextReceiveStream

from tests.forks import fork, launched, module_of, ready
from webclient.domain.model import Era, Json

ROOT = Path(__file__).parents[2]
"""Where `python -m tests.mcp_servers.NAME` works."""

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
        with suppress(ProcessLookupError):
            ended = os.pidfd_open(self.pid)
            os.kill(self.pid, signal.SIGKILL)
            select.select([ended], [], [])
            os.close(ended)


def command(name: str, *arguments: str) -> list[str]:
    """Return the command line that starts server `name`; it works in `ROOT`."""
    return [sys.executable, "-m", f"tests.mcp_servers.{name}", *arguments]


def stdio(name: str, *arguments: str, forked: bool = True) -> Json:
    """Return the `transport` of a configured server that starts server `name` over stdio.

    A server that is not `forked` is a direct child process, for tests that stop or inspect that child.
    """
    program, *rest = launched(f"tests.mcp_servers.{name}", *arguments) if forked else command(name, *arguments)
    return {"type": "stdio", "command": program, "args": rest, "env": None, "cwd": str(ROOT)}


def entry(name: str, *arguments: str, **keys: object) -> Json:
    """Return the entry of an mcp.json for server `name` over stdio, with further `keys`."""
    transport = stdio(name, *arguments)
    return {key: transport[key] for key in ("command", "args", "cwd")} | keys


def asker_entries(*arguments: str) -> Json:
    """Return two entries of an mcp.json for the asking server: `push` and `rounds`, by their eras."""
    eras = {"push": Era.PUSH, "rounds": Era.ROUNDS}
    return {label: entry("asker", *arguments, era=era.value) for label, era in eras.items()}


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
    command: Sequence[str], *, announce: str, cwd: Path = ROOT, stderr: IO[str] | None = None, forked: bool = True
) -> AsyncIterator[RunningServer]:
    """Start a command whose first line is `ANNOUNCE: URL`, give that, and end it by its pid.

    A Python module of ours is `forked`, which saves its imports; anything else is executed.
    """
    module = module_of(command) if forked else None
    starting = _forked(*module, cwd=cwd, stderr=stderr) if module else _executed(command, cwd=cwd, stderr=stderr)
    async with starting as process:
        try:
            yield RunningServer(await _address(process.output, announce), process.pid)
        finally:
            await _end(process)


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    output: AsyncIterable[str]
    wait: Callable[[], Awaitable[object]]


@asynccontextmanager
async def _executed(command: Sequence[str], *, cwd: Path, stderr: IO[str] | None) -> AsyncIterator[_Process]:
    async with await anyio.open_process(command, stdin=subprocess.DEVNULL, stderr=stderr, cwd=cwd) as process:
        assert process.stdout
        yield _Process(process.pid, TextReceiveStream(process.stdout), process.wait)


@asynccontextmanager
async def _forked(
    module: str, arguments: Sequence[str], *, cwd: Path, stderr: IO[str] | None
) -> AsyncIterator[_Process]:
    # The loop goes on while the fork server loads its modules.
    await anyio.to_thread.run_sync(ready)
    read, write = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    process = fork(module, arguments, (nothing, write, stderr.fileno() if stderr else 2), cwd=cwd, env=os.environ)
    os.close(nothing)
    os.close(write)
    try:
        yield _Process(process.pid, _text(read), partial(anyio.wait_readable, process.sentinel))
    finally:
        os.close(read)
        process.close()


async def _text(descriptor: int) -> AsyncIterator[str]:
    while True:
        await anyio.wait_readable(descriptor)
        if not (data := os.read(descriptor, 65536)):
            return
        yield data.decode()


async def _address(output: AsyncIterable[str], announce: str) -> str:
    text = ""
    async for chunk in output:
        text += chunk
        if "\n" in text:
            return text.partition("\n")[0].removeprefix(f"{announce}: ")
    raise AssertionError(f"the server ended before it listened; it printed {text!r}")


async def _end(process: _Process) -> None:
    # Signals go by pid: Popen would reap a process that has just ended, behind the event loop's back.
    with anyio.CancelScope(shield=True):
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        with anyio.move_on_after(PATIENCE):
            await process.wait()
            return
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()
