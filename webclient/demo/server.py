"""The demo server: its name, tools, prompts and resources."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import MCPServer, RequestStateSecurity
from mcp.types import ToolAnnotations

from webclient.demo.booking import book_trip
from webclient.demo.catalogue import catalogue, destination, packing_list
from webclient.demo.every_field import every_field
from webclient.demo.pictures import ICON
from webclient.demo.postcard import postcard
from webclient.demo.search import slow_search

DAY = 24 * 60 * 60.0
"""How long a question of 2026-07-28 can be answered, in seconds: people think, and go home for the night."""

KEY_VARIABLE = "MCP_DEMO_STATE_KEY"
"""The environment variable with a secret of 32 bytes or more, for questions that outlive this process."""

CHANGES_NOTHING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS_A_BOOKING = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def request_state_security() -> RequestStateSecurity:
    """Return how `requestState` is sealed: by the operator's key, or by one that lives as long as this process."""
    key = os.environ.get(KEY_VARIABLE)
    return RequestStateSecurity(keys=[key], ttl=DAY) if key else RequestStateSecurity.ephemeral(ttl=DAY)


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
    )
    add_tools(server)
    server.prompt(title="Packing list")(packing_list)
    server.resource("trip://catalogue", title="Catalogue", mime_type="text/plain")(catalogue)
    server.resource("trip://destinations/{name}", title="Destination", mime_type="text/plain")(destination)
    return server


def add_tools(server: MCPServer[Any]) -> None:
    """Add the tools, the two that ask first."""
    server.add_tool(book_trip, title="Book a trip", annotations=ADDS_A_BOOKING, icons=[ICON], structured_output=False)
    server.add_tool(every_field, title="Every kind of field", annotations=CHANGES_NOTHING)
    server.add_tool(slow_search, title="Slow search", annotations=CHANGES_NOTHING)
    server.add_tool(postcard, title="Postcard", annotations=CHANGES_NOTHING)
