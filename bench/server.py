"""The MCP server of the measurements: it asks again and again, and each question says when it was sent."""

from __future__ import annotations

import time

import anyio
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

from tests.mcp_servers.serving import read_options, serve
from webclient.demo.every_field import EveryField

server = MCPServer("bench", log_level="CRITICAL")


class Confirmation(BaseModel):
    """A form with one field."""

    yes: bool = True


@server.tool()
async def ask_at_once(times: int, ctx: Context) -> int:
    """Ask for a form with a field of every kind, so many times at once; returns how many were answered."""
    async with anyio.create_task_group() as group:
        for number in range(times):
            group.start_soon(ctx.elicit, f"Question {number}", EveryField)
    return times


@server.tool()
async def ask(times: int, ctx: Context) -> float:
    """Ask so many times, one after the other; returns the seconds that it took."""
    started = time.perf_counter()
    for _each in range(times):
        await ctx.elicit(str(time.time_ns()), Confirmation)
    return time.perf_counter() - started


@server.tool()
async def ask_once(ctx: Context) -> int:
    """Ask once; returns when the answer came, in nanoseconds since 1970."""
    await ctx.elicit(str(time.time_ns()), Confirmation)
    return time.time_ns()


@server.tool()
async def nothing() -> None:
    """Do nothing."""


if __name__ == "__main__":
    serve(server, read_options())
