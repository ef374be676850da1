"""A stdio server of 2025-11-25 by hand, with as many tools as its argument says; each returns its own name.

`python -m tests.mcp_servers.large 5000`.
"""

from __future__ import annotations

import json
import sys

from webclient.domain.model import Era, Json


def result_of(method: str, params: Json, count: int) -> Json | None:
    """Return the result of a request; None for one that is unknown."""
    match method:
        case "initialize":
            info = {"name": "large", "version": "1"}
            return {"protocolVersion": Era.PUSH, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            schema = {"type": "object", "properties": {"text": {"type": "string"}}}
            return {
                "tools": [{"name": f"tool_{n}", "description": "x" * 100, "inputSchema": schema} for n in range(count)]
            }
        case "tools/call":
            return {"content": [{"type": "text", "text": params["name"]}]}
        case "ping":
            return {}
        case _:
            return None


def main() -> None:
    """Answer until the input ends."""
    count = int(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = result_of(message["method"], message.get("params") or {}, count)
        error = {"error": {"code": -32601, "message": "Method not found"}}
        answer = error if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
