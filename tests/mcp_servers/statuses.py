"""An HTTP server by hand, without the SDK, that sends its JSON-RPC errors with an HTTP status.

`python -m tests.mcp_servers.statuses --port 0 --era ERA STATUS TYPE BODY`. Its tool `ask` fails so once, then succeeds.
`BODY` is `whole`, or `bare` for an error without the rest of JSON-RPC, `other` for JSON that is not
JSON-RPC, `page` for an HTML page; `stranger` and `no-session` are what servers say that do not know a session. With
`--session` it gives each client a session, and forgets it with that failure.
"""

from __future__ import annotations

import argparse
import json

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webclient.demo.serving import serve_http
from webclient.domain.model import Era, Json

URL_REQUIRED = -32042
LINK = {"mode": "url", "url": "https://example.com/sign-in", "elicitationId": "e1", "message": "Please sign in."}
ERROR = {"code": URL_REQUIRED, "message": "First open this.", "data": {"elicitations": [LINK]}}
BODIES = {
    "whole": json.dumps({"jsonrpc": "2.0", "id": None, "error": ERROR}),
    "bare": json.dumps({"error": ERROR}),
    "other": json.dumps({"hello": "world", "items": [1, 2, 3]}),
    "page": "<h1>It broke.</h1>",
    "stranger": json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32004, "message": "Who are you?"}}),
    "no-session": "Bad Request: No valid session ID provided",
}
LASTING = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def results(era: str) -> dict[str, Json]:
    """Return what the server answers to everything but a call."""
    greeting: Json = {"capabilities": {"tools": {}}, "serverInfo": {"name": "statuses", "version": "1"}}
    tools = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}], **LASTING}
    if era == Era.ROUNDS:
        return {"server/discover": {"supportedVersions": [era], **LASTING, **greeting}, "tools/list": tools}
    return {"initialize": {"protocolVersion": Era.PUSH, **greeting}, "ping": {}, "tools/list": tools}


def create_app(era: str, failure: Response, *, sessions: bool) -> Starlette:
    """Return the server, whose first call gives `failure`; with `sessions` so does what comes in the same one."""
    known = results(era)
    calls = 0
    forgotten = False

    async def handle(request: Request) -> Response:
        nonlocal calls, forgotten
        message = json.loads(await request.body())
        if message.get("method") == "initialize":
            forgotten = False
        if forgotten:
            return failure
        if "id" not in message or "method" not in message:
            return Response(status_code=202)
        calls += message["method"] == "tools/call"
        if message["method"] == "tools/call" and calls == 1:
            forgotten = sessions
            return failure
        done = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}
        answer = {"tools/call": done, **known}.get(message["method"])
        response = {"result": answer} if answer is not None else {"error": {"code": -32601, "message": "unknown"}}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **response})
        return Response(body, media_type="application/json", headers={"mcp-session-id": "s1"} if sessions else None)

    return Starlette(routes=[Route("/mcp", handle, methods=["POST"])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport")
    parser.add_argument("--era", default=Era.PUSH)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("status", type=int)
    parser.add_argument("type")
    parser.add_argument("body", choices=sorted(BODIES))
    parser.add_argument("--session", action="store_true")
    given = parser.parse_args()
    kind = {"content-type": given.type} if given.type != "none" else {}
    app = create_app(given.era, Response(BODIES[given.body], given.status, headers=kind), sessions=given.session)
    serve_http(app, port=given.port, announce="Listening", path="/mcp")
