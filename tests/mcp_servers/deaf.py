"""A stdio server by hand that asks, and from then on writes log messages without reading its pipe any more.

`python -m tests.mcp_servers.deaf WRITTEN`. The file WRITTEN has one byte for each log message.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import repeat
from pathlib import Path

from tests.mcp_servers.raw import METHOD_NOT_FOUND, SCHEMA, elicitation, send
from webclient.domain.model import Era, Json

PAUSE = 0.02
"""Seconds between two log messages."""


def plain(method: str) -> Json:
    """Return the response to everything but a call."""
    if method == "initialize":
        capabilities: Json = {"tools": {}, "logging": {}}
        info = {"name": "deaf", "version": "1"}
        return {"result": {"protocolVersion": Era.PUSH, "capabilities": capabilities, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": METHOD_NOT_FOUND, "message": "Method not found"}}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            break
        if "id" in message:
            send({"jsonrpc": "2.0", "id": message["id"], **plain(message["method"])})
    with Path(sys.argv[1]).open("ab", buffering=0) as written:
        send(elicitation("q1", message="What is your name?", requestedSchema=SCHEMA))
        for data in repeat("I am busy."):
            params = {"level": "info", "data": data}
            send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
            written.write(b".")
            time.sleep(PAUSE)
