"""The seconds for which known clients wait by default, recognised by their first messages: a hint, never a promise.

Measured with the published packages of November 2026. A wrong guess costs little: an agent that goes away earlier takes
its call up again, and teaches how long it really waits, which counts from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

PREFIX = "io.modelcontextprotocol/"
UI = f"{PREFIX}ui"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The signs of a client in its first messages; in a row of the table, None stands for any."""

    name: str | None = None
    modern: bool | None = None
    """Whether it speaks 2026-07-28."""
    user_agent: str | None = None
    """The beginning of the header."""
    progress: bool | None = None
    """Whether it asks for progress."""
    sampling: bool | None = None


MCP = "mcp"
"""The name that the Python SDK gives to every client that gives itself none."""

KNOWN: tuple[tuple[Signs, float], ...] = (
    # Agent Framework, which has no limit, and 300 seconds between two bytes.
    (Signs(name=MCP, modern=True, user_agent="python-httpx2/", sampling=True), 270),
    # FastMCP, which has no limit.
    (Signs(name=MCP, modern=True, user_agent="python-httpx2/", progress=True), 600),
    # OpenAI Agents (Python) gives up after 5 seconds.
    (Signs(name=MCP, modern=True, user_agent="python-httpx2/"), 4),
    # CrewAI, which looks like LangChain and smolagents, and LlamaIndex give up after 30 seconds.
    (Signs(name=MCP, modern=False, user_agent="python-httpx"), 25),
    # These have limits of 300 seconds, or none and callers who may set one.
    (Signs(name="fastmcp"), 270),
    (Signs(name="google-adk"), 270),
    (Signs(name="ai-sdk-mcp-client"), 270),
    (Signs(name="claude-code"), 270),
    # Mastra and OpenAI Agents (JavaScript), which have names that their users choose, give up after 60 seconds.
    (Signs(modern=True, user_agent="node"), 50),
)


def guessed_patience(shown: Signs) -> float | None:
    """Return the seconds for which a client with these signs waits; None if it is unknown."""
    return next((seconds for row, seconds in KNOWN if _fits(row, shown)), None)


def signs_of(ctx: ServerRequestContext[Any, Any], user_agent: str) -> Signs:
    """Return the signs of the client of a request."""
    info = ctx.session.client_params.client_info if ctx.session.client_params else None
    capabilities = ctx.session.client_capabilities
    meta = (ctx.params or {}).get("_meta")
    return Signs(
        name=info.name if info else "",
        modern=ctx.protocol_version in MODERN_PROTOCOL_VERSIONS,
        user_agent=user_agent,
        progress=isinstance(meta, dict) and "progressToken" in meta,
        sampling=capabilities is not None and capabilities.sampling is not None,
    )


def _fits(row: Signs, shown: Signs) -> bool:
    if row.user_agent is not None and not (shown.user_agent or "").startswith(row.user_agent):
        return False
    wanted = ((row.name, shown.name), (row.modern, shown.modern), (row.progress, shown.progress))
    return all(given is None or given == found for given, found in (*wanted, (row.sampling, shown.sampling)))
