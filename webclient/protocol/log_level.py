"""Asks servers for their log messages."""

from __future__ import annotations

from contextlib import suppress

from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import LoggingLevel, SetLevelRequest, SetLevelRequestParams
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.protocol.raw_request import send

LEVEL: LoggingLevel = "debug"
"""What servers are asked for: all; the page decides what it shows."""


async def request_logs(session: ClientSession) -> None:
    """Ask a 2025-11-25 server for its log messages; a 2026-07-28 server is asked with each request.

    Without it some servers send all and some send none (MCP 2025-11-25, Logging). A refusal changes nothing.
    """
    modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
    if modern or getattr(session.server_capabilities, "logging", None) is None:
        return
    with suppress(MCPError):
        await send(session, SetLevelRequest(params=SetLevelRequestParams(level=LEVEL)))
