"""A stdio server by hand that speaks both eras, and can ask only by pushing: in 2026-07-28 its tool fails instead.

`python -m tests.mcp_servers.dual [--both] [--says CASE] [--after SECONDS] [--only ERA] [--ignores METHOD] [--noise N]
[--fails METHOD] [--bridge refuse|exit] [--empty]`.
`--says` picks the words with which SDKs refuse to push, each as that SDK sends them; `--after` is how long it takes to
start; a request that it `--ignores` gets no answer. `--both`: it announces both eras. `--fails`: this method ends in an
error. `--bridge`: it takes any first message for the handshake, as bridges to other servers do, and refuses the second
one or exits. `--empty`: it has no tools in 2026-07-28. Its tool `wipe` is annotated as destructive, and acts without a
question where it cannot ask. The first message after `server/discover` decides the era, as in the TypeScript SDK 2.
"""

from __future__ import annotations

import argparse
import json
import sys
from time import sleep

from tests.mcp_servers.raw import METHOD_NOT_FOUND, SCHEMA, elicitation, send
from webclient.domain.model import Era, Json

UNSUPPORTED = -32022
VERSION = "io.modelcontextprotocol/protocolVersion"


def failed(message: str, code: int = -32603) -> Json:
    """Return a refusal that fails the call."""
    return {"error": {"code": code, "message": message}}


def done(message: str) -> Json:
    """Return a refusal inside a result."""
    return {"result": {"resultType": "complete", "isError": True, "content": [{"type": "text", "text": message}]}}


_TYPESCRIPT = (
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent "
    "while serving a request on that revision. Return inputRequired({ ... }) from the handler instead."
)
_TYPESCRIPT_URL = (
    "URL elicitation cannot be signalled by throwing UrlElicitationRequiredError on protocol revision 2026-07-28: "
    "return inputRequired({ inputRequests: { … } }) from the handler instead."
)
_GO = (
    '"elicitation/create" cannot be sent while serving a request on protocol version 2026-07-28: return an '
    "InputRequests map instead (multi round-trip requests, SEP-2322)"
)
_TMCP = (
    'MCP error -32603: tool "ask" asked the client for elicitation, but it is not marked as replayable. The client '
    "must retry the ORIGINAL request with its answer, which starts the handler again FROM THE TOP."
)

REFUSALS: dict[str, Json] = {
    "python": failed("Cannot send 'elicitation/create': this transport context has no back-channel", -32600),
    "fastmcp": done("elicitation via server-initiated requests is unavailable on 2026-07-28 connections."),
    "typescript": done(_TYPESCRIPT),
    "typescript-url": failed(_TYPESCRIPT_URL),
    "go": failed(_GO),
    "go-done": done(f"asking the user: {_GO}"),
    "tmcp": failed(_TMCP),
    "csharp": done("An error occurred invoking 'ask'."),
}
"""How a tool fails that wanted to push its question, by SDK."""

UNRELATED: dict[str, Json] = {
    "disk": done("Error calling tool 'ask': disk full"),
    "version": failed("The API answered 404: version 2026-01 is gone"),
}
"""How a tool fails for another reason."""


TOOLS: list[Json] = [
    {"name": "ask", "inputSchema": {"type": "object"}},
    {"name": "wipe", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
]


class DualServer:
    """One connection over stdio."""

    def __init__(
        self, says: str, only: Era, ignores: str, *, fails: str, bridge: str, both: bool = False, empty: bool = False
    ) -> None:
        self.refusal = (REFUSALS | UNRELATED)[says]
        self.era: Era | None = None
        self.only = only
        self.ignores = ignores
        self.fails = fails
        self.bridge = bridge
        self.is_bound = False
        self.empty = empty
        self.announced = [Era.ROUNDS, Era.PUSH] if both else [Era.ROUNDS]
        self.call_id: object = None

    def run(self) -> None:
        """Serve until stdin ends."""
        for line in sys.stdin:
            message: Json = json.loads(line)
            if message.get("id") == "q1" and "method" not in message:
                text = json.dumps(message.get("result"))
                self.reply(self.call_id, {"result": {"content": [{"type": "text", "text": text}]}})
            elif "id" in message and message["method"] != self.ignores:
                self.reply(message["id"], self.answer(message["id"], message["method"], message.get("params") or {}))

    def reply(self, request_id: object, answer: Json | None) -> None:
        """Answer a request, unless it is answered later."""
        if answer is not None:
            send({"jsonrpc": "2.0", "id": request_id, **answer})

    def answer(self, request_id: object, method: str, params: Json) -> Json | None:
        """Return the answer to a request; None where the person is asked first."""
        if (refusal := self.refusal_of(method)) is not None:
            return refusal
        era = Era.ROUNDS if VERSION in (params.get("_meta") or {}) else Era.PUSH
        if self.only not in (Era.AUTO, era) or self.era not in (None, era):
            supported = [self.only if self.only is not Era.AUTO else self.era]
            data = {"supported": supported, "requested": era}
            return {"error": {"code": UNSUPPORTED, "message": f"Unsupported protocol version: {era}", "data": data}}
        if method != "server/discover":
            self.era = era
        if method == "tools/call":
            return self.call(request_id, params["name"])
        shared: Json = {"capabilities": {"tools": {}}, "serverInfo": {"name": "dual", "version": "1"}}
        lasting = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        results: Json = {
            "initialize": {"protocolVersion": Era.PUSH, **shared},
            "server/discover": {"supportedVersions": self.announced, **lasting, **shared},
            "tools/list": {"tools": [] if self.empty and era is Era.ROUNDS else TOOLS, **lasting},
            "ping": {},
        }
        if method not in results:
            return failed(f"Method not found: {method}", METHOD_NOT_FOUND)
        return {"result": results[method]}

    def refusal_of(self, method: str) -> Json | None:
        """Return the error with which a broken server answers this method, or None."""
        if method == self.fails:
            return failed("fetch failed")
        if self.bridge and method == "server/discover":
            self.is_bound = True
            if self.bridge == "exit":
                sys.exit("expected initialize")
            return failed(f"Method not found: {method}", METHOD_NOT_FOUND)
        if self.is_bound and method == "initialize":
            return failed("Invalid Request: Server already initialized", -32000)
        return None

    def call(self, request_id: object, name: str) -> Json | None:
        """Push a question, where the era has a way for that."""
        if self.era is Era.ROUNDS:
            return {"result": {"resultType": "complete", "content": []}} if name == "wipe" else self.refusal
        self.call_id = request_id
        send(elicitation("q1", message="What is your name?", requestedSchema=SCHEMA))
        return None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--says", choices=[*REFUSALS, *UNRELATED], default="python")
    parser.add_argument("--after", type=float, default=0)
    parser.add_argument("--only", type=Era, choices=list(Era), default=Era.AUTO)
    parser.add_argument("--ignores", default="")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--fails", default="")
    parser.add_argument("--bridge", choices=["", "refuse", "exit"], default="")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--noise", type=int, default=0, help="lines on standard output that are not messages")
    given = parser.parse_args()
    sys.stderr.write("dual: loading\n")
    sys.stderr.flush()
    for number in range(given.noise):
        sys.stdout.buffer.write(b"\n" + (b"caf\xe9 \xff\xfe" if number % 2 else b"Listening on stdio") + b"\n")
    sys.stdout.flush()
    sleep(given.after)
    DualServer(
        given.says,
        given.only,
        given.ignores,
        fails=given.fails,
        bridge=given.bridge,
        both=given.both,
        empty=given.empty,
    ).run()
