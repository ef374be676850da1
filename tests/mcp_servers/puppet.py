"""A stdio server that sends what the test decides: the messages in the arguments of its tool `send`.

`python -m tests.mcp_servers.puppet [VERSION]`. `send` takes `messages` without ids, and returns the reply to each
request among them as a JSON list, as soon as all are there. `send_only` returns the ids of the requests instead, at
once, and `replies` takes such ids. `heard` returns all notifications of the client, `announced` its capabilities.
`leave` ends the process without a result.
"""

from __future__ import annotations

import json
import sys
from itertools import count

from webclient.domain.model import Era, Json

TOOLS = ("send", "send_only", "replies", "heard", "announced", "leave")


class Puppet:
    """One connection over stdio."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.ids = count(1)
        self.replies: Json = {}
        self.notifications: list[Json] = []
        self.announced: Json = {}
        self.waiting: dict[object, list[str]] = {}

    def run(self) -> None:
        """Serve until stdin ends."""
        for line in sys.stdin:
            message: Json = json.loads(line)
            if "method" not in message:
                self.replies[message["id"]] = message
                self.finish()
            elif "id" not in message:
                self.notifications.append(message)
            else:
                self.answer(message["id"], message["method"], message.get("params") or {})

    def answer(self, request_id: object, method: str, params: Json) -> None:
        """Answer one request of the client."""
        if method == "initialize":
            self.announced = params["capabilities"]
            info = {"name": "puppet", "version": "1.0"}
            greeting = {"protocolVersion": self.version, "capabilities": {"tools": {}}, "serverInfo": info}
            send({"id": request_id, "result": greeting})
        elif method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            send({"id": request_id, "result": {"tools": tools}})
        elif method == "tools/call":
            self.call(request_id, params["name"], params.get("arguments") or {})
        elif method == "ping":
            send({"id": request_id, "result": {}})
        else:
            send({"id": request_id, "error": {"code": -32601, "message": "Method not found"}})

    def call(self, request_id: object, tool: str, arguments: Json) -> None:
        """Run a tool."""
        if tool == "heard":
            result(request_id, self.notifications)
        elif tool == "leave":
            sys.exit()
        elif tool == "announced":
            result(request_id, self.announced)
        elif tool == "replies":
            self.waiting[request_id] = arguments["ids"]
        else:
            ids = [self.pass_on(message) for message in arguments["messages"]]
            self.waiting[request_id] = [each for each in ids if each]
            if tool == "send_only":
                result(request_id, self.waiting.pop(request_id))
        self.finish()

    def pass_on(self, message: Json) -> str | None:
        """Send a message of the test; return the id of a request."""
        is_notification = message["method"].startswith("notifications/")
        request_id = None if is_notification else f"puppet-{next(self.ids)}"
        send(message if is_notification else {"id": request_id, **message})
        return request_id

    def finish(self) -> None:
        """Return the results of the tools whose replies are all there."""
        for request_id, ids in list(self.waiting.items()):
            if all(each in self.replies for each in ids):
                del self.waiting[request_id]
                result(request_id, [self.replies[each] for each in ids])


def result(request_id: object, value: object) -> None:
    """Send the result of a tool: a value as JSON."""
    send({"id": request_id, "result": {"content": [{"type": "text", "text": json.dumps(value)}]}})


def send(message: Json) -> None:
    """Write a message as a line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    Puppet(sys.argv[1] if len(sys.argv) > 1 else Era.PUSH).run()
