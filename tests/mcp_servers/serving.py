"""The command line shared by the servers built on the SDK: transport, port, era, key."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer, RequestStateSecurity
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_REQUEST, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION
from starlette.applications import Starlette

from webclient.demo.serving import HOST, serve_http
from webclient.domain.model import Era


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "http", "sse"], default="stdio")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--era", type=Era, choices=list(Era), default=Era.AUTO, help="auto serves both")
    parser.add_argument("--json", action="store_true", help="over HTTP, answer with JSON instead of events")
    parser.add_argument("--state-key", help="a key that survives a restart, 32 bytes or more")
    return parser.parse_args(arguments)


def state_security(key: str | None) -> RequestStateSecurity:
    """Return how `requestState` is sealed."""
    return RequestStateSecurity(keys=[key]) if key else RequestStateSecurity.ephemeral()


async def only_push(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Answer as a server that has never heard of 2026-07-28."""
    if ctx.method == "server/discover":
        raise MCPError(code=METHOD_NOT_FOUND, message="Method not found")
    if ctx.protocol_version == Era.ROUNDS:
        raise MCPError(code=INVALID_REQUEST, message=f"Unsupported protocol version: {ctx.protocol_version}")
    return await call_next(ctx)


async def only_rounds(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Answer as a server that no longer knows the handshake of 2025-11-25."""
    if ctx.method == "initialize":
        supported = {"supported": [Era.ROUNDS.value], "requested": Era.PUSH.value}
        raise MCPError(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", supported)
    return await call_next(ctx)


async def serve_handshake_over_stdio(server: MCPServer[Any]) -> None:
    """Serve 2025-11-25 alone; `server.run` would turn to 2026-07-28 for good at the first probe for it."""
    inner = server._lowlevel_server
    async with stdio_server() as (read, write), inner.lifespan(inner) as state:
        await serve_loop(inner, read, write, lifespan_state=state)


def serve(
    server: MCPServer[Any], options: argparse.Namespace, prepare: Callable[[Starlette], None] = lambda _app: None
) -> None:
    """Serve until stdin ends, or until SIGTERM; `prepare` gets the application that serves HTTP before it begins."""
    limits = {Era.PUSH: only_push, Era.ROUNDS: only_rounds}
    if options.era in limits:
        server.middleware.append(limits[options.era])
    match options.transport:
        case "http":
            app = server.streamable_http_app(host=HOST, json_response=options.json)
            prepare(app)
            serve_http(app, port=options.port, announce="Listening", path="/mcp")
        case "sse":
            serve_http(server.sse_app(host=HOST), port=options.port, announce="Listening", path="/sse")
        case _ if options.era is Era.PUSH:
            anyio.run(serve_handshake_over_stdio, server)
        case _:
            server.run()
