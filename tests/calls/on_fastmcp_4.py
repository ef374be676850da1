# mypy: ignore-errors
"""A server of 2026-07-28 on FastMCP 4 and its extension for tasks; `on_fastmcp_4.py [PORT]`, over stdio without one.

It runs with the Python that has FastMCP 4, and imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import os
import sys

os.environ["FASTMCP_DOCKET_URL"] = "memory://"

from fastmcp import Context, FastMCP
from fastmcp_tasks import TasksExtension
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)

server = FastMCP("tasks-on-fastmcp-4")
server.add_extension(TasksExtension())

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


@server.tool(task=True)
async def trip(context: Context) -> str | InputRequiredResult:
    """Asks for a city and a text, then for another city."""
    given = context.input_responses or {}
    if context.request_state is None:
        form = ElicitRequest(params=ElicitRequestFormParams(message="Where to?", requested_schema=CITY))
        prompt = SamplingMessage(role="user", content=TextContent(type="text", text="Praise it"))
        text = CreateMessageRequest(params=CreateMessageRequestParams(messages=[prompt], max_tokens=100))
        return InputRequiredResult(input_requests={"where": form, "praise": text}, request_state="first")
    if context.request_state == "first":
        first = f"{given['where'].content['city']} ({given['praise'].content.text})"
        form = ElicitRequest(params=ElicitRequestFormParams(message="And then?", requested_schema=CITY))
        return InputRequiredResult(input_requests={"then": form}, request_state=first)
    return f"{context.request_state}, {given['then'].action}"


@server.tool(task=True)
async def slow() -> str:
    """Works until it is cancelled."""
    await asyncio.sleep(3600)
    return "never"


@server.tool(task=True)
async def broken() -> str:
    """Raises an error."""
    raise ValueError("the kettle is broken")


if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp", show_banner=False, log_level="warning")
    else:
        server.run(show_banner=False, log_level="warning")
