"""The command line of a demo server: over stdio or, on loopback only, over streamable HTTP."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette

HOST = "127.0.0.1"


def serve(create_server: Callable[[], MCPServer[Any]], *, module: str, about: str | None, announce: str) -> None:
    """Read the command line of `python -m MODULE`, and serve over stdio or HTTP (`--http`)."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP instead of stdio")
    parser.add_argument("--port", type=int, default=0, help="the port for --http; 0 picks a free one")
    options = parser.parse_args()
    server = create_server()
    if options.http:
        serve_http(server.streamable_http_app(host=HOST), port=options.port, announce=announce, path="/mcp")
    else:
        server.run()


def serve_http(app: Starlette, *, port: int, announce: str, path: str) -> None:
    """Serve `app` on `port`, 0 for any free one, until SIGTERM or Ctrl-C.

    The line `ANNOUNCE: URL` on standard output says that it listens: from then on no connection is refused.
    """
    import uvicorn  # noqa: PLC0415  stdio should not wait for it to load

    # Longer than clients use an idle connection again: a request must not meet the moment in which it is closed.
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, timeout_keep_alive=30)
    with socket.create_server((HOST, port)) as listening:
        sys.stdout.write(f"{announce}: http://{HOST}:{listening.getsockname()[1]}{path}\n")
        sys.stdout.flush()
        uvicorn.Server(config).run(sockets=[listening])
