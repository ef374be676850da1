"""A small agent, which calls one tool through the gateway and comes back for a result that takes long.

It has no language model: its steps are written here, as a model would choose them from the results.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

LOGGER = logging.getLogger(__name__)

CALL_ID = "mcp-webclient/call"
"""The key of the id of a call that waits for a person, in the `_meta` of a result."""

LATER = "await_answer"
"""The tool of the gateway that gets the result of such a call."""

AWAY = 12.0
"""Seconds for which the agent does something else before it comes back."""


async def work(address: str, token: str, tool: str, arguments: Mapping[str, Any]) -> None:
    """Call a tool at the gateway, and come back until its result is there.

    It ends without one when the gateway has ended.
    """
    try:
        await _work(address, token, tool, arguments)
    except* (MCPError, httpx2.HTTPError) as errors:
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        LOGGER.info("The agent of the demo has ended without a result of %s: %s", tool, error)


async def _work(address: str, token: str, tool: str, arguments: Mapping[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    about = Implementation(name="mcp-webclient-demo-agent", version=version("mcp-webclient"))
    # The gateway answers in time, so the agent has no limit of its own.
    async with (
        httpx2.AsyncClient(headers=headers, timeout=None) as http,
        Client(streamable_http_client(address, http_client=http), client_info=about) as client,
    ):
        result = await client.call_tool(tool, dict(arguments))
        while call := (result.meta or {}).get(CALL_ID):
            await anyio.sleep(AWAY)
            result = await client.call_tool(LATER, {"call": call})
