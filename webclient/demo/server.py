"""The demo server: its name, tools, prompts and resources."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import MCPServer, RequestStateSecurity
from mcp.types import ToolAnnotations

from webclient.demo.booking import book_trip
from webclient.demo.catalogue import catalogue, destination, packing_list
from webclient.demo.dinner import reserve_table
from webclient.demo.every_field import every_field
from webclient.demo.long_trip import TasksExtension, TaskShelf, plan_trip
from webclient.demo.pictures import ICON
from webclient.demo.postcard import postcard
from webclient.demo.search import slow_search
from webclient.demo.weekend import plan_weekend

DAY = 24 * 60 * 60.0
"""How long a question of 2026-07-28 can be answered, in seconds: people think, and go home for the night."""

KEY_VARIABLE = "MCP_DEMO_STATE_KEY"
"""The environment variable with a secret of 32 bytes or more, for questions that outlive this process."""

TASKS_VARIABLE = "MCP_DEMO_TASKS"
"""The environment variable with the file of the tasks; without it they end with this process."""

PACE_VARIABLE = "MCP_DEMO_PACE"
"""The environment variable with the pace of the long trip: 0.5 for half as long."""

CHANGES_NOTHING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS_A_BOOKING = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def request_state_security() -> RequestStateSecurity:
    """Return how `requestState` is sealed: by the operator's key, or by one that lives as long as this process."""
    key = os.environ.get(KEY_VARIABLE)
    return RequestStateSecurity(keys=[key], ttl=DAY) if key else RequestStateSecurity.ephemeral(ttl=DAY)


def tasks_extension() -> TasksExtension:
    """Return the extension that runs the long trip as a task."""
    shelf = TaskShelf(os.environ.get(TASKS_VARIABLE, ":memory:"), seconds=DAY)
    return TasksExtension(shelf, pace=float(os.environ.get(PACE_VARIABLE, "1")))


def create_server() -> MCPServer[Any]:
    """Return the demo server, ready to run over any transport."""
    server: MCPServer[Any] = MCPServer(
        name="mcp-webclient-demo",
        title="Travel desk",
        description="Books trips that do not exist, and asks about them.",
        instructions="Call book_trip with 2026-12-24: that day is full, and you are asked for another.",
        version=version("mcp-webclient"),
        icons=[ICON],
        log_level="WARNING",
        request_state_security=request_state_security(),
        extensions=[tasks_extension()],
    )
    add_tools(server)
    server.prompt(title="Packing list")(packing_list)
    server.resource("trip://catalogue", title="Catalogue", mime_type="text/plain")(catalogue)
    server.resource("trip://destinations/{name}", title="Destination", mime_type="text/plain")(destination)
    return server


def add_tools(server: MCPServer[Any]) -> None:
    """Add the tools, the four that ask first."""
    server.add_tool(book_trip, title="Book a trip", annotations=ADDS_A_BOOKING, icons=[ICON], structured_output=False)
    server.add_tool(reserve_table, title="Reserve a table", annotations=ADDS_A_BOOKING, structured_output=False)
    server.add_tool(every_field, title="Every kind of field", annotations=CHANGES_NOTHING)
    server.add_tool(plan_trip, title="Plan a whole trip", annotations=ADDS_A_BOOKING, structured_output=False)
    server.add_tool(slow_search, title="Slow search", annotations=CHANGES_NOTHING)
    server.add_tool(plan_weekend, title="Plan a weekend", annotations=CHANGES_NOTHING, structured_output=False)
    server.add_tool(postcard, title="Postcard", annotations=CHANGES_NOTHING)
