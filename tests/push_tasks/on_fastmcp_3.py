# mypy: ignore-errors
"""A server of 2025-11-25 on FastMCP 3, whose tools run as tasks; `on_fastmcp_3.py PORT` listens at /mcp.

It runs with the Python that has FastMCP 3, and imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import os
import sys

os.environ["FASTMCP_DOCKET_URL"] = "memory://"

from fastmcp import Context, FastMCP
from fastmcp.server.tasks.config import TaskConfig

server = FastMCP("tasks-on-fastmcp-3")


@server.tool(task=TaskConfig(mode="required"))
async def greet(context: Context) -> str:
    """Asks for a name, and greets."""
    answer = await context.elicit("What is your name?", response_type=str)
    return f"{answer.action}: {getattr(answer, 'data', None)}"


@server.tool(task=True)
async def slow() -> str:
    """Works until it is cancelled."""
    await asyncio.sleep(3600)
    return "never"


@server.tool(task=True)
async def quick() -> str:
    """Is done at once."""
    return "quick"


@server.tool(task=TaskConfig(mode="required"))
async def broken() -> str:
    """Raises an error."""
    raise ValueError("the kettle is broken")


if __name__ == "__main__":
    server.run("http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp", show_banner=False, log_level="warning")
