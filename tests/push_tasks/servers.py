"""Servers of 2025-11-25 with tasks, as processes: published ones, and two small ones on published SDKs."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.mcp_servers import ROOT
from webclient.domain.model import Json

NODE = ROOT / "build/npm/node_modules/@modelcontextprotocol"
EXAMPLES = NODE / "sdk/dist/esm/examples/server"
PYTHON_1 = ROOT / "build/mcp-1/bin/python"
HERE = Path(__file__).parent

PATIENCE = 60.0
"""Seconds after which a server that should listen is taken not to start."""


@dataclass(slots=True)
class Listening:
    """A server that listens on `port` at /mcp; `kill` ends it as a crash does."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def transport(self) -> Json:
        """The `transport` of a configured server that reaches it."""
        return {"type": "http", "url": f"http://127.0.0.1:{self.port}/mcp"}

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@asynccontextmanager
async def everything(port: int = 0) -> AsyncIterator[Listening]:
    """Run `server-everything`: one of its tools runs as a task, and asks what an ambiguous topic means."""
    program = ROOT / "build/npm/node_modules/.bin/mcp-server-everything"
    async with _started([str(program), "streamableHttp"], "PORT", port) as listening:
        yield listening


@asynccontextmanager
async def interactive(port: int = 0) -> AsyncIterator[Listening]:
    """Run the TypeScript SDK's `simpleTaskInteractive`: its tasks require input at once."""
    async with _started(["node", str(EXAMPLES / "simpleTaskInteractive.js")], "PORT", port) as listening:
        yield listening


@asynccontextmanager
async def streamable(port: int = 0) -> AsyncIterator[Listening]:
    """Run the TypeScript SDK's `simpleStreamableHttp`: its task asks outside of all requests."""
    async with _started(["node", str(EXAMPLES / "simpleStreamableHttp.js")], "MCP_PORT", port) as listening:
        yield listening


@asynccontextmanager
async def on_mcp_1(port: int = 0) -> AsyncIterator[Listening]:
    """Run the server of `on_mcp_1.py`, on version 1 of the Python SDK."""
    async with _started([str(PYTHON_1), "-W", "ignore", str(HERE / "on_mcp_1.py")], "", port) as listening:
        yield listening


@asynccontextmanager
async def on_fastmcp_3(port: int = 0) -> AsyncIterator[Listening]:
    """Run the server of `on_fastmcp_3.py`, on FastMCP 3."""
    async with _started([str(PYTHON_1), "-W", "ignore", str(HERE / "on_fastmcp_3.py")], "", port) as listening:
        yield listening


@asynccontextmanager
async def asking_on_mcp_1(port: int = 0) -> AsyncIterator[Listening]:
    """Run the server of `asking_on_mcp_1.py`, which asks as tasks."""
    async with _started([str(PYTHON_1), "-W", "ignore", str(HERE / "asking_on_mcp_1.py")], "", port) as listening:
        yield listening


def asking_over_stdio() -> Json:
    """Return the `transport` of a configured server that starts the one of `asking_on_mcp_1.py`."""
    arguments = ["-W", "ignore", str(HERE / "asking_on_mcp_1.py")]
    return {"type": "stdio", "command": str(PYTHON_1), "args": arguments, "env": None, "cwd": str(ROOT)}


def everything_over_stdio() -> Json:
    """Return the `transport` of a configured server that starts `server-everything`."""
    program = ROOT / "build/npm/node_modules/.bin/mcp-server-everything"
    return {"type": "stdio", "command": str(program), "args": ["stdio"], "env": None, "cwd": str(ROOT)}


def mcp_1_over_stdio() -> Json:
    """Return the `transport` of a configured server that starts the one of `on_mcp_1.py`."""
    arguments = ["-W", "ignore", str(HERE / "on_mcp_1.py")]
    return {"type": "stdio", "command": str(PYTHON_1), "args": arguments, "env": None, "cwd": str(ROOT)}


@asynccontextmanager
async def _started(command: Sequence[str], variable: str, port: int) -> AsyncIterator[Listening]:
    """Start a command on the port, which it takes from a variable of its environment or as its last argument."""
    port = port or free_port()
    environment = os.environ | ({variable: str(port)} if variable else {})
    line = [*command, *([] if variable else [str(port)])]
    listening = Listening(port, _process(line, environment))
    try:
        await _listens(listening)
        yield listening
    finally:
        listening.kill()


def _process(line: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL
    return subprocess.Popen(line, env=environment, stdin=nothing, stdout=nothing, stderr=nothing)


async def _listens(listening: Listening) -> None:
    async with asyncio.timeout(PATIENCE):
        while listening.process.poll() is None:
            with suppress(OSError):
                _reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
                writer.close()
                return
            await asyncio.sleep(0.05)
    raise AssertionError(f"the server has ended: {listening.process.returncode}")
