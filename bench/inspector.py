"""MCP Inspector as a process of its own, started as its users start it. The Makefile installs the pinned version."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mcp_servers import ROOT
from webclient.domain.model import Json

LAUNCHER = ROOT / "build/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
PATIENCE = 60.0
"""Seconds after which it is taken not to start."""

_LINK = re.compile(rb"http://\S+\?MCP_INSPECTOR_API_TOKEN=\w+")


@dataclass(frozen=True, slots=True)
class Inspector:
    """A running Inspector: the link that lets a browser in, and its process."""

    link: str
    pid: int


@asynccontextmanager
async def inspector(folder: Path, servers: Json) -> AsyncIterator[Inspector]:
    """Run Inspector with these servers of an `mcp.json` while the block runs."""
    config = folder / "inspector.json"
    config.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    process = await asyncio.create_subprocess_exec(
        *("node", str(LAUNCHER), "--web", "--config", str(config)),
        env={**os.environ, **_environment(folder)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE):
            while not (found := _LINK.search(await process.stdout.readline())):
                assert process.returncode is None, "Inspector did not start"
        yield Inspector(found[0].decode(), process.pid)
    finally:
        process.terminate()
        await process.communicate()


def _environment(folder: Path) -> dict[str, str]:
    return {
        "CLIENT_PORT": str(_free_port()),  # it refuses 0
        "MCP_SANDBOX_PORT": "0",
        "MCP_AUTO_OPEN_ENABLED": "false",
        "MCP_STORAGE_DIR": str(folder / "inspector"),
        "MCP_INSPECTOR_SECRET_STORE": "memory",
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port
