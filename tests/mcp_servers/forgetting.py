"""Runs `forgetful.py`, which loses its clients and sessions each time that it is started again on its port."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

ROOT = Path(__file__).parents[2]
SERVER = str(Path(__file__).parent / "forgetful.py")
PATIENCE = 120


def free_port() -> int:
    """Return a port on which nothing listens now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@asynccontextmanager
async def forgetting(environment: str, port: int) -> AsyncIterator[None]:
    """Run the server until it listens, and kill it afterwards; `environment` has FastMCP 3 (`mcp-1`) or 4 (`mcp-2`)."""
    line = [str(ROOT / "build" / environment / "bin/python"), SERVER, str(port)]
    null = subprocess.DEVNULL
    async with await anyio.open_process(line, env=os.environ, stdin=null, stdout=null, stderr=null) as process:
        try:
            with anyio.fail_after(PATIENCE):
                while True:
                    try:
                        await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                        break
                    except OSError:
                        await anyio.sleep(0.05)
            yield
        finally:
            process.kill()
