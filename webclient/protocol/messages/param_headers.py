"""The HTTP headers that repeat arguments of a tool's call, so that gateways can read them without the message.

A tool names them by `x-mcp-header` in its schema, and a server refuses a call without them (MCP 2026-07-28, Server
Features, Tools, x-mcp-header; Transports, Custom Headers from Tool Parameters). The SDK knows the tools of the last
page that it listed itself; here are all tools of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map

from webclient.domain.model import Json


def has_invalid_headers(tool: Any) -> bool:
    """Return whether a listed tool names invalid headers, and MUST be left out."""
    schema = tool.get("inputSchema") if isinstance(tool, dict) else None
    try:
        return find_invalid_x_mcp_header(schema) is not None
    except RecursionError:
        return True


class ParamHeaders:
    """The headers of a session's tools; `known`: the tools were listed in it."""

    def __init__(self) -> None:
        self.known = False
        self._by_tool: Mapping[str, dict[tuple[str, ...], str]] = {}

    def note(self, tools: Iterable[Json]) -> None:
        """Take over the tools as they were listed, all of them."""
        maps = ((tool["name"], x_mcp_header_map(tool.get("inputSchema"))) for tool in tools)
        self._by_tool = {name: found for name, found in maps if found}
        self.known = True

    def of(self, message: Json) -> dict[str, str]:
        """Return the headers of a message to the server."""
        if message.get("method") != "tools/call":
            return {}
        params = message.get("params", {})
        return mcp_param_headers(self._by_tool.get(params.get("name"), {}), params.get("arguments") or {})
