"""`python -m webclient.demo`: the demo server over stdio, or with `--http` over streamable HTTP on loopback."""

from __future__ import annotations

import argparse

from webclient.demo.server import create_server
from webclient.demo.serving import HOST, serve_http


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m webclient.demo", description=__doc__)
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP instead of stdio")
    parser.add_argument("--port", type=int, default=0, help="the port for --http; 0 picks a free one")
    options = parser.parse_args()
    server = create_server()
    if options.http:
        app = server.streamable_http_app(host=HOST)
        serve_http(app, port=options.port, announce="Demo server", path="/mcp")
    else:
        server.run()


if __name__ == "__main__":
    main()
