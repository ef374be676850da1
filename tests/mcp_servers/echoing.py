"""A stdio server by hand, without the SDK, that returns each request as it came: `python -m tests.mcp_servers.echoing`.

It speaks 2025-11-25. The result of any method has the request as `echo`, and keys that no version of MCP has; the tool
`fail` ends in a JSON-RPC error with data. Only the tool `notify` sends notifications: its argument `messages`. The
method `vendor/noticed` returns the notifications that the server has received.
"""

from __future__ import annotations

import json
import sys

from webclient.domain.model import Era, Json

CAPABILITIES: Json = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "completions": {},
    "logging": {},
    "experimental": {"x": {"y": None}},
}

FAILURE: Json = {"code": -32050, "message": "Nothing left", "data": {"left": 0, "why": None}}

TOOL: Json = {"name": "echo", "inputSchema": {"type": "object", "x-own": None}, "x-unknown": {"deep": [None, 1]}}

FIXED: Json = {
    "tools/list": {"tools": [TOOL], "x-list": 1},
    "tools/call": {"content": [{"type": "text", "text": "done", "x-block": True}], "structuredContent": {"n": None}},
    "prompts/list": {"prompts": [{"name": "echo", "x-unknown": 1}]},
    "prompts/get": {"messages": []},
    "resources/list": {"resources": [{"uri": "echo://a", "name": "a", "x-unknown": 1}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "echo://{x}", "name": "x", "x-unknown": 1}]},
    "resources/read": {"contents": [{"uri": "echo://a", "text": "a", "x-unknown": 1}]},
    "completion/complete": {"completion": {"values": ["a"], "x-unknown": 1}},
}


def answer(message: Json) -> Json:
    """Return the result or the error of a request."""
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        described = {"name": "echoing", "version": "1"}
        return {
            "result": {"protocolVersion": Era.PUSH, "capabilities": CAPABILITIES, "serverInfo": described}
            | {"instructions": "Echo."}
        }
    if method == "server/discover":
        return {"error": {"code": -32601, "message": "Method not found"}}
    if params.get("name") == "fail":
        return {"error": FAILURE}
    return {"result": FIXED.get(method, {}) | {"echo": {"method": method, "params": params}, "x-result": [None]}}


if __name__ == "__main__":
    noticed: list[Json] = []
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            noticed.append(message)
        if "id" in message and "method" in message:
            params = message.get("params") or {}
            for each in (params.get("arguments") or {}).get("messages", []) if params.get("name") == "notify" else []:
                sys.stdout.write(json.dumps({"jsonrpc": "2.0", **each}) + "\n")
            found = {"result": {"noticed": noticed}} if message["method"] == "vendor/noticed" else answer(message)
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}) + "\n")
            sys.stdout.flush()
