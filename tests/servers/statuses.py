"""An HTTP server by hand, without the SDK, that says its JSON-RPC errors with an HTTP status.

`python -m tests.servers.statuses --port 0 --era ERA STATUS TYPE BODY`. Its tool `ask` fails so once, and then succeeds.
`BODY` is `whole`, or `bare` for an error without the rest of JSON-RPC, or `page` for one that is none.
"""

from __future__ import annotations

import argparse
import json

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webclient.demo.serving import serve_http
from webclient.model import Era, Json

URL_REQUIRED = -32042
LINK = {"mode": "url", "url": "https://example.com/sign-in", "elicitationId": "e1", "message": "Please sign in."}
ERROR = {"code": URL_REQUIRED, "message": "First open this.", "data": {"elicitations": [LINK]}}
BODIES = {
    "whole": json.dumps({"jsonrpc": "2.0", "id": None, "error": ERROR}),
    "bare": json.dumps({"error": ERROR}),
    "page": "<h1>It broke.</h1>",
}
LASTING = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def results(era: str) -> dict[str, Json]:
    """Return what the server answers to everything but a call."""
    greeting: Json = {"capabilities": {"tools": {}}, "serverInfo": {"name": "statuses", "version": "1"}}
    tools = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}], **LASTING}
    if era == Era.ROUNDS:
        return {"server/discover": {"supportedVersions": [era], **LASTING, **greeting}, "tools/list": tools}
    return {"initialize": {"protocolVersion": Era.PUSH, **greeting}, "ping": {}, "tools/list": tools}


def create_app(era: str, failure: Response) -> Starlette:
    """Return the server, whose first call gives `failure`."""
    known = results(era)
    calls = 0

    async def handle(request: Request) -> Response:
        nonlocal calls
        message = json.loads(await request.body())
        if "id" not in message or "method" not in message:
            return Response(status_code=202)
        calls += message["method"] == "tools/call"
        if message["method"] == "tools/call" and calls == 1:
            return failure
        done = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}
        answer = {"tools/call": done, **known}.get(message["method"])
        told = {"result": answer} if answer is not None else {"error": {"code": -32601, "message": "unknown"}}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **told})
        return Response(body, media_type="application/json")

    return Starlette(routes=[Route("/mcp", handle, methods=["POST"])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport")
    parser.add_argument("--era", default=Era.PUSH)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("status", type=int)
    parser.add_argument("type")
    parser.add_argument("body", choices=sorted(BODIES))
    given = parser.parse_args()
    kind = {"content-type": given.type} if given.type != "none" else {}
    app = create_app(given.era, Response(BODIES[given.body], given.status, headers=kind))
    serve_http(app, port=given.port, announce="Listening", path="/mcp")
