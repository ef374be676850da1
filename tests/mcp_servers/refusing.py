"""An HTTP server that refuses everybody, at each path as the path says: `/401/plain`, `/200/html`.

`python -m tests.mcp_servers.refusing --port 0`.
"""

from __future__ import annotations

import argparse

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webclient.demo.serving import serve_http

ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "No such tenant: blue"}}


async def refuse(request: Request) -> Response:
    """Answer with the status in the path."""
    status, how = int(request.path_params["status"]), request.path_params["how"]
    match how:
        case "html":
            return Response("<h1>Welcome</h1>", status, media_type="text/html")
        case "text":
            return Response("hello", status, media_type="text/plain")
        case "oauth":
            challenge = 'Bearer resource_metadata="http://127.0.0.1:9/.well-known/oauth-protected-resource"'
            return Response(status_code=status, headers={"WWW-Authenticate": challenge})
        case "error":
            return JSONResponse(ERROR, status)
        case "redirect":
            return Response(status_code=status, headers={"Location": "https://elsewhere.example/mcp?token=s3same"})
        case _:
            return Response(status_code=status)


def create_app() -> Starlette:
    """Return the server."""
    return Starlette(routes=[Route("/{status:int}/{how}", refuse, methods=["GET", "POST"])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport")
    parser.add_argument("--era")
    parser.add_argument("--port", type=int, default=0)
    serve_http(create_app(), port=parser.parse_args().port, announce="Listening", path="")
