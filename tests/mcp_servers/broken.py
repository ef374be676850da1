"""A server by hand, over each transport, whose tool `ask` returns a result that the SDK's parser refuses.

`python -m tests.mcp_servers.broken --transport TRANSPORT RESULT`: the transport is `stdio`, `sse` (HTTP+SSE), or `json`
or `events` for the kind of response over streamable HTTP; the result is JSON, sent as it stands there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from webclient.demo.serving import serve_http
from webclient.domain.model import Era, Json

GREETING: Json = {
    "protocolVersion": Era.PUSH,
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "broken", "version": "1"},
}
TOOLS: Json = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}
EVENTS = "text/event-stream"


def answer_to(message: Json, result: str) -> str:
    """Return the response to a message as text; empty for a notification."""
    if "id" not in message:
        return ""
    known: Json = {"initialize": GREETING, "ping": {}, "tools/list": TOOLS}
    found = json.dumps(known[message["method"]]) if message["method"] in known else None
    if message["method"] == "tools/call":
        found = result
    outcome = f'"result":{found}' if found else '"error":{"code":-32601,"message":"Method not found"}'
    return f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},{outcome}}}'


def serve_stdio(result: str) -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        if text := answer_to(json.loads(line), result):
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()


def streamable(result: str, *, events: bool) -> Starlette:
    """Return a server that answers each POST in its response."""

    async def handle(request: Request) -> Response:
        text = answer_to(json.loads(await request.body()), result)
        if events and text:
            return Response(f"data: {text}\n\n", media_type=EVENTS)
        return Response(text, 200 if text else 202, media_type="application/json")

    return Starlette(routes=[Route("/mcp", handle, methods=["POST"])])


def one_stream(result: str) -> Starlette:
    """Return a server that answers on the one stream of HTTP+SSE."""
    answers: asyncio.Queue[str] = asyncio.Queue()

    async def stream() -> AsyncIterator[str]:
        yield "event: endpoint\ndata: /messages\n\n"
        while True:
            yield f"event: message\ndata: {await answers.get()}\n\n"

    async def listen(_request: Request) -> Response:
        return StreamingResponse(stream(), media_type=EVENTS)

    async def take(request: Request) -> Response:
        if text := answer_to(json.loads(await request.body()), result):
            answers.put_nowait(text)
        return Response(status_code=202)

    return Starlette(routes=[Route("/mcp", listen), Route("/messages", take, methods=["POST"])])


def main(transport: str, port: int, result: str) -> None:
    """Serve over the transport."""
    if transport == "stdio":
        serve_stdio(result)
        return
    app = one_stream(result) if transport == "sse" else streamable(result, events=transport == "events")
    serve_http(app, port=port, announce="Listening", path="/mcp")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "json", "events", "sse"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("result")
    given = parser.parse_args()
    main(given.transport, given.port, given.result)
