"""A stdio server by hand, without the SDK, whose results, tools and log messages are what a test sends, verbatim.

`python -m tests.mcp_servers.plain`, in 2025-11-25; with `--ttl MS` in 2026-07-28, with that `ttlMs` and without
notifications. `give` returns its argument `result` as the result, `offer` puts its
arguments first in the list, as a tool, in place of one of that name; `withdraw` removes the tool `name`; both notify
that. `say` sends a log message for each of its `messages`, and each of those `later` after its result. `greet` has
fields. `listings`, which is not in the list, returns how often the tools were listed.
Its instructions are `INSTRUCTIONS`; each resource that is read is text that names its URI.
"""

from __future__ import annotations

import argparse
import json
import sys

from webclient.domain.model import Era, Json

INSTRUCTIONS = "Call give first.\nThen <b>offer</b>."
CAPABILITIES: Json = {"tools": {"listChanged": True}, "resources": {}, "logging": {}}
OBJECT: Json = {"type": "object"}

LASTING: Json = {"resultType": "complete", "cacheScope": "private"}

ttl: int | None = None
listings = 0
later: list[Json] = []

tools: list[Json] = [
    {"name": name, "inputSchema": OBJECT} for name in ("give", "offer", "say", "two\nlines", "withdraw")
]
tools.append({"name": "greet", "inputSchema": {**OBJECT, "properties": {"who": {"type": "string"}}}})

tools[0]["icons"] = [{"src": "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'/%3E"}]


def result_of(method: str, params: Json) -> Json | None:
    """Return the result of a request in the era; None for one that is unknown."""
    if ttl is None:
        return result_in_push(method, params)
    if method == "server/discover":
        shared: Json = {"capabilities": {"tools": {}}, "serverInfo": {"name": "plain", "version": "1"}}
        return {"supportedVersions": [Era.ROUNDS], "ttlMs": 0, **LASTING, **shared}
    result = result_in_push(method, params)
    return result and {"ttlMs": ttl, **LASTING, **result}


def result_in_push(method: str, params: Json) -> Json | None:
    """Return the result of a request in 2025-11-25; None for one that is unknown."""
    global listings  # noqa: PLW0603  (one process is one server)
    listings += method == "tools/list"
    if method == "tools/call":
        return called(params["name"], params.get("arguments") or {})
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": f"This is {params['uri']}"}]}
    info = {"name": "plain", "version": "1"}
    greeting = {"protocolVersion": Era.PUSH, "capabilities": CAPABILITIES, "serverInfo": info}
    results: dict[str, Json] = {
        "initialize": {**greeting, "instructions": INSTRUCTIONS},
        "tools/list": {"tools": tools},
        "resources/list": {"resources": []},
        "resources/templates/list": {"resourceTemplates": []},
        "ping": {},
        "logging/setLevel": {},
    }
    return results.get(method)


def called(name: str, arguments: Json) -> Json:
    """Do what a tool does, and return its result."""
    if name == "give":
        given: Json = arguments["result"]
        return given
    if name == "greet":
        return {"content": [{"type": "text", "text": f"Hello {arguments['who']}"}]}
    if name in ("offer", "withdraw"):
        others = [each for each in tools if each["name"] != arguments["name"]]
        tools[:] = [{"inputSchema": OBJECT, **arguments}, *others] if name == "offer" else others
        if ttl is None:
            notify("notifications/tools/list_changed", {})
    if name == "listings":
        return {"content": [{"type": "text", "text": str(listings)}]}
    for message in arguments.get("messages", []):
        notify("notifications/message", message)
    later.extend(arguments.get("later", []))
    return {"content": [{"type": "text", "text": f"{name!r} is done"}]}


def notify(method: str, params: Json) -> None:
    """Send a notification."""
    send({"method": method, "params": params})


def send(message: Json) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        message: Json = json.loads(line)
        if "method" in message and "id" in message:
            result = result_of(message["method"], message.get("params") or {})
            unknown = {"error": {"code": -32601, "message": "Method not found"}}
            send({"id": message["id"], **({"result": result} if result is not None else unknown)})
        while later:
            notify("notifications/message", later.pop(0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ttl", type=int)
    ttl = parser.parse_args().ttl
    main()
