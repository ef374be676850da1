# mypy: ignore-errors
"""Runs the servers on version 1 of the Python SDK: at /mcp of the port in the first argument, or else over stdio.

Like them it imports nothing of the project, because the Python of that SDK does not have it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount


def run(server: Server[Any, Any]) -> None:
    """Run the server until it is ended."""
    if len(sys.argv) > 1:
        _over_http(server, int(sys.argv[1]))
    else:
        anyio.run(_over_stdio, server)


async def _over_stdio(server: Server[Any, Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _over_http(server: Server[Any, Any], port: int) -> None:
    manager = StreamableHTTPSessionManager(server)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = Starlette(routes=[Mount("/mcp", manager.handle_request)], lifespan=lifespan)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
