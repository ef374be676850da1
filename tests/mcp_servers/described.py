"""A server on the SDK that describes itself, with icons at its own origin and elsewhere.

`python -m tests.mcp_servers.described --transport http --elsewhere ORIGIN`: another origin that serves the same
icons. `/requests` lists the requests for icons that came, with their headers.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.types import Icon
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from tests.pictures.made import SVG, pixels
from webclient.demo.serving import HOST
from webclient.servers.icons import LONGEST

PATHS = ("png", "svg", "page", "lie", "moved", "away", "heavy", "large", "missing", "compressed")
"""Icons by the last part of their address; each is that of the tool with its name."""


def create_server(base: str, elsewhere: str) -> MCPServer[None]:
    """Return the server, which is reached at `base`."""
    server: MCPServer[None] = MCPServer(
        name="described",
        title="Described server",
        description="Keeps <b>icons</b>.\nThey are \u202ered.",
        website_url="https://described.example/about?next=https://other.example/",
        version="1.2.3-beta",
        icons=[Icon(src=f"{base}/icons/png", mime_type="image/png")],
        log_level="CRITICAL",
    )
    requests: list[tuple[str, dict[str, str]]] = []

    def nothing() -> None:
        """Do nothing."""

    for name in PATHS:
        server.add_tool(nothing, name=name, icons=[Icon(src=f"{base}/icons/{name}")], structured_output=False)
    server.add_tool(nothing, name="foreign", icons=[Icon(src=f"{elsewhere}/icons/png")], structured_output=False)

    async def icon(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "never":
            await asyncio.Event().wait()
        requests.append((name, dict(request.headers)))
        return served(name, base, elsewhere)

    async def list_requests(_request: Request) -> Response:
        return JSONResponse(requests)

    server.custom_route("/icons/{name}", methods=["GET"])(icon)
    server.custom_route("/requests", methods=["GET"])(list_requests)
    return server


def served(name: str, base: str, elsewhere: str) -> Response:
    """Return the response with that icon."""
    png = pixels("PNG")
    responses: dict[str, Callable[[], Response]] = {
        "png": lambda: Response(png, media_type="image/png"),
        "svg": lambda: Response(SVG, media_type="image/svg+xml"),
        "page": lambda: PlainTextResponse("<html><script>alert(1)</script>", media_type="text/html"),
        "lie": lambda: Response(SVG, media_type="image/png"),
        "moved": lambda: RedirectResponse(f"{base}/icons/png"),
        "away": lambda: RedirectResponse(f"{elsewhere}/icons/png"),
        "heavy": lambda: Response(png + bytes(LONGEST), media_type="image/png"),
        "large": lambda: StreamingResponse(endless(png), media_type="image/png"),
        "compressed": lambda: Response(png, media_type="image/png", headers={"Content-Encoding": "gzip"}),
        "missing": lambda: PlainTextResponse("Not found", status_code=404),
    }
    return responses[name]()


async def endless(beginning: bytes) -> AsyncIterator[bytes]:
    """Yield a picture that never ends."""
    yield beginning
    while True:
        yield b"\x00" * 65_536
        await asyncio.sleep(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["http"], default="http")
    parser.add_argument("--era", default="auto")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--elsewhere", default="https://elsewhere.example")
    options = parser.parse_args()
    with socket.create_server((HOST, options.port)) as listening:
        origin = f"http://{HOST}:{listening.getsockname()[1]}"
        app = create_server(origin, options.elsewhere).streamable_http_app(host=HOST)
        sys.stdout.write(f"Listening: {origin}/mcp\n")
        sys.stdout.flush()
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])
