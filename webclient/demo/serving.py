"""How a server of the demo is reached over HTTP: on loopback only, on any free port, announced in one line."""

from __future__ import annotations

import socket
import sys

from starlette.applications import Starlette

HOST = "127.0.0.1"


def serve_http(app: Starlette, *, port: int, announce: str, path: str) -> None:
    """Serve `app` on `port`, 0 for any free one, until SIGTERM or Ctrl-C.

    The line `ANNOUNCE: URL` on standard output says that it listens: from then on no connection is refused.
    """
    import uvicorn  # noqa: PLC0415  stdio should not wait for it to load

    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    with socket.create_server((HOST, port)) as listening:
        sys.stdout.write(f"{announce}: http://{HOST}:{listening.getsockname()[1]}{path}\n")
        sys.stdout.flush()
        uvicorn.Server(config).run(sockets=[listening])
