"""The MCP server of the measurements: it asks again and again, and each question says when it was sent."""

from __future__ import annotations

import time

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("bench")


class Confirmation(BaseModel):
    """A form with one field."""

    yes: bool = True


@server.tool()
async def ask(times: int, ctx: Context) -> float:
    """Ask so many times, one after the other; returns the seconds that it took."""
    started = time.perf_counter()
    for _each in range(times):
        await ctx.elicit(str(time.time_ns()), Confirmation)
    return time.perf_counter() - started


if __name__ == "__main__":
    server.run()
