"""A resource that changes: for subscribers of 2025-11-25, and for streams of 2026-07-28."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from tests.mcp_servers.asker.asking import AnyContext, speaks_rounds

CLOSED = "asker://closed"
"""The resource to which no client can subscribe."""

subscribed: list[str] = []
"""The subscriptions of 2025-11-25 in this process; a test has a process of its own, over stdio."""


async def update(ctx: AnyContext, uri: str = "asker://text") -> str:
    """Report that a resource has changed, and return all subscriptions of 2025-11-25."""
    await (ctx.notify_resource_updated(uri) if speaks_rounds(ctx) else ctx.session.send_resource_updated(uri))
    return " ".join(subscribed)


async def closed() -> str:
    """Return a text that never changes."""
    return "Some other text."


async def _subscribe(_ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams) -> EmptyResult:
    if params.uri == CLOSED:
        raise MCPError(-32602, "No client can subscribe to that.")
    subscribed.append(params.uri)
    return EmptyResult()


async def _unsubscribe(_ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams) -> EmptyResult:
    subscribed.remove(params.uri)
    return EmptyResult()


def add_to(server: MCPServer[Any]) -> None:
    """Add the subscriptions of 2025-11-25, which this class of the SDK does not have."""
    lowlevel = server._lowlevel_server
    lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, _subscribe)
    lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _unsubscribe)
