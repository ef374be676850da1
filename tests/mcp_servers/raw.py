"""A stdio server by hand, without the SDK, for what the SDK would not send: malformed, hostile, or not at all.

`python -m tests.mcp_servers.raw CASE`. Its one tool `ask` sends the messages of the case as they are, and returns every
reply as it came, as a JSON list. In a case of `RESULTS` the server speaks 2026-07-28 and `ask` returns that result.
In a case of `FLOODS`, `raw CASE N` sends its message N times. The tool `announced` returns, in either era, the
capabilities that the client has announced last.
"""

from __future__ import annotations

import json
import sys
from typing import NoReturn

from webclient.domain.model import Era, Json

METHOD_NOT_FOUND = -32601
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
URL_REQUIRED = -32042
COMPLAINT = "raw: cannot start, the licence file is missing"
SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


def elicitation(request_id: object, **params: object) -> Json:
    """Return an `elicitation/create` with exactly these params."""
    return {"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params}


def form(schema: object) -> list[Json]:
    """Return the one question of a form with this schema."""
    return [elicitation("q1", message="What is your name?", requestedSchema=schema)]


def link(**params: object) -> list[Json]:
    """Return the one question of a link with these params."""
    return [elicitation("q1", mode="url", message="Please sign in.", **params)]


SAID: Json = {"role": "user", "content": {"type": "text", "text": "Hello"}}
USED: Json = {"role": "assistant", "content": {"type": "tool_use", "id": "u1", "name": "look", "input": {}}}
MIXED: Json = {
    "role": "user",
    "content": [{"type": "tool_result", "toolUseId": "u1", "content": []}, {"type": "text", "text": "Well?"}],
}


def sampling(request_id: object, *messages: Json, **params: object) -> Json:
    """Return a `sampling/createMessage` with these messages; `params` replace others."""
    params = {"messages": list(messages), "maxTokens": 10} | params
    return {"jsonrpc": "2.0", "id": request_id, "method": "sampling/createMessage", "params": params}


def completion(**params: object) -> Json:
    """Return the notification that an elicitation is completed."""
    return {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params}


MESSAGES: dict[str, list[Json]] = {
    "null-schema": form(None),
    "empty-schema": form({}),
    "schema-without-properties": form({"type": "object"}),
    "no-fields": form({"type": "object", "properties": {}}),
    "nested-schema": form({"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}),
    "property-not-a-schema": form({"type": "object", "properties": {"a": 7}}),
    "unknown-type": form({"type": "object", "properties": {"a": {"type": "colour"}}}),
    "not-finite": [
        elicitation(
            "q1",
            message="How much?",
            requestedSchema={
                "type": "object",
                "title": "Checked by mcp-webclient",
                "properties": {"a": {"type": "number", "default": float("nan"), "maximum": float("inf")}},
            },
        )
    ],
    "sampling": [sampling("s1", SAID)],
    "sampling-against-rules": [
        sampling("mixed", SAID, USED, MIXED),
        sampling("missing", SAID, USED, SAID),
        sampling("last", SAID, USED),
        sampling("role", SAID | {"role": "system"}),
        sampling("text", SAID | {"content": "Hello"}),
        sampling("tokens", SAID, maxTokens=0),
        sampling("choice", SAID, toolChoice={"mode": "always"}),
    ],
    "no-message": [elicitation("q1", requestedSchema=SCHEMA)],
    "unknown-mode": [elicitation("q1", mode="dance", message="Dance?", requestedSchema=SCHEMA)],
    "duplicate-ids": [
        elicitation("same", message="First", requestedSchema=SCHEMA),
        elicitation("same", message="Second", requestedSchema=SCHEMA),
    ],
    "javascript-url": link(url="javascript:alert(1)", elicitationId="e1"),
    "garbage-url": link(url="not a url at all", elicitationId="e1"),
    "misleading-url": link(url="https://accounts.google.com@evil.example/", elicitationId="e1"),
    "url-missing": link(elicitationId="e1"),
    "url-without-id": link(url="https://example.com/"),
    "completed-before-consent": [*link(url="https://example.com/", elicitationId="e1"), completion(elicitationId="e1")],
    "completion-without-id": [completion()],
    "completion-with-odd-id": [completion(elicitationId={"e": 1})],
    "huge-message": [elicitation("q1", message="x" * 2_000_000, requestedSchema=SCHEMA)],
    "control-characters": [elicitation("q1", message="safe\u202egnp.exe\u0000\u001b[2J", requestedSchema=SCHEMA)],
    "roots": [{"jsonrpc": "2.0", "id": "r1", "method": "roots/list"}],
    "unknown-method": [{"jsonrpc": "2.0", "id": "q1", "method": "dance/create", "params": {}}],
    "unknown-notification": [{"jsonrpc": "2.0", "method": "notifications/dance", "params": {}}],
    "not-json-rpc": [{"hello": "world"}],
    "unknown-reply": [{"jsonrpc": "2.0", "id": "never-asked", "result": {}}],
}
"""Messages that the tool sends, by case; one with an id and a method waits for a reply."""

FLOODS: dict[str, Json] = {
    "flood": elicitation(0, message="And now?", requestedSchema=SCHEMA),
    "roots-flood": {"jsonrpc": "2.0", "id": 0, "method": "roots/list", "params": {}},
    "malformed-flood": elicitation(0, requestedSchema=SCHEMA),
}
"""Messages that the tool sends as often as its argument says, each time with another id."""

RESULTS: dict[str, Json] = {
    "no-result-type": {"content": [{"type": "text", "text": "[]"}]},
    "unknown-result-type": {"resultType": "surprise", "content": []},
    "short-streams": {"resultType": "complete", "content": []},
    "no-input-requests": {"resultType": "input_required"},
    "null-schema-round": {
        "resultType": "input_required",
        "inputRequests": {"q1": {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": None}}},
        "requestState": "s1",
    },
    "broken-structure": {
        "resultType": "complete",
        "content": [],
        "structuredContent": {"stations": [{"degrees": "warm"}]},
    },
    "not-finite-result": {"resultType": "complete", "content": [], "structuredContent": {"a": float("nan")}},
    "state-only-round": {"resultType": "input_required", "requestState": "s1"},
}
"""Results of the tool in 2026-07-28, by case."""

ROUNDS: dict[str, Json] = {
    "form-and-link-round": {
        "resultType": "input_required",
        "inputRequests": {
            "form": {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": SCHEMA}},
            "link": {
                "method": "elicitation/create",
                "params": {"mode": "url", "message": "!", "url": "https://example.com/", "elicitationId": "e1"},
            },
        },
    },
    "sampling-round": {"resultType": "input_required", "inputRequests": {"message": sampling(0, SAID)}},
    "sampling-round-mixed": {
        "resultType": "input_required",
        "inputRequests": {"message": sampling(0, SAID, USED, MIXED)},
    },
    "roots-round": {"resultType": "input_required", "inputRequests": {"folders": {"method": "roots/list"}}},
    "roots-and-form-round": {
        "resultType": "input_required",
        "inputRequests": {
            "folders": {"method": "roots/list", "params": {}},
            "form": {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": SCHEMA}},
        },
    },
}
"""Rounds that are in order, by case; the tool returns them as it does those of `RESULTS`."""


ERRORS: dict[str, object] = {
    "required-mixed": {
        "elicitations": [
            {"mode": "url", "url": "https://example.com/", "message": "Please."},
            {"mode": "form", "message": "Name?", "requestedSchema": SCHEMA},
            {"mode": "url", "url": 7, "message": ["odd"]},
            "https://example.com/",
        ]
    },
    "required-malformed": {"elicitations": [{"mode": "url", "elicitationId": "e1"}, None]},
    "required-nothing": {"elicitations": []},
    "required-null": None,
}
"""The data of the error -32042 with which the tool fails, by case."""


class RawServer:
    """One connection over stdio: answers what it must, and says what the case says."""

    def __init__(self, case: str, times: int = 1) -> None:
        self.case = case
        self.messages = MESSAGES.get(case) or [FLOODS[case] | {"id": n} for n in range(times) if case in FLOODS]
        self.era = Era.ROUNDS if case in RESULTS or case in ROUNDS else Era.PUSH
        self.announced: Json = {}
        self.call_id: object = None
        self.missing = 0
        self.replies: list[Json] = []

    def run(self) -> None:
        """Serve until stdin ends."""
        for line in sys.stdin:
            message: Json = json.loads(line)
            if "method" not in message:
                self.take(message)
            elif "id" in message:
                self.note(message.get("params") or {})
                self.answer(message["id"], message["method"], message.get("params") or {})

    def note(self, params: Json) -> None:
        """Keep what the client announces: once in `initialize`, or in the `_meta` of each request."""
        announced = params.get("capabilities") or (params.get("_meta") or {}).get(CAPABILITIES)
        self.announced = announced if announced is not None else self.announced

    def answer(self, request_id: object, method: str, params: Json) -> None:
        """Answer one request of the client."""
        results = {"ping": {}, "tools/list": self.tools(), **self.greeting()}
        if params.get("name") == "announced":
            content = [{"type": "text", "text": json.dumps(self.announced)}]
            send({"jsonrpc": "2.0", "id": request_id, "result": {"resultType": "complete", "content": content}})
        elif method == "subscriptions/listen":
            self.listen(request_id, params)
        elif method == "tools/call":
            self.call(request_id)
        elif method in results:
            send({"jsonrpc": "2.0", "id": request_id, "result": results[method]})
        else:
            error = {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method}"}
            send({"jsonrpc": "2.0", "id": request_id, "error": error})

    def greeting(self) -> Json:
        """Return how a connection begins in this era."""
        info = {"name": "raw", "version": "1.0"}
        capabilities: Json = {"tools": {}}
        if self.case == "short-streams":
            capabilities["resources"] = {"subscribe": True}
        shared: Json = {"capabilities": capabilities, "serverInfo": info}
        if self.era is Era.PUSH:
            return {"initialize": {"protocolVersion": self.era, **shared}}
        lasting = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {"server/discover": {"supportedVersions": [self.era], **lasting, **shared}}

    def listen(self, request_id: object, params: Json) -> None:
        """Agree to report changes of the first resource alone, report one, and end the stream."""
        [first, *_others] = params["notifications"]["resourceSubscriptions"]
        meta = {"_meta": {SUBSCRIPTION: request_id}}
        said = {
            "notifications/subscriptions/acknowledged": {"notifications": {"resourceSubscriptions": [first]}},
            "notifications/resources/updated": {"uri": first},
        }
        notices = [{"jsonrpc": "2.0", "method": method, "params": each | meta} for method, each in said.items()]
        send(*notices, {"jsonrpc": "2.0", "id": request_id, "result": {"resultType": "complete", **meta}})

    def tools(self) -> Json:
        """Return the list with the one tool."""
        tool: Json = {"name": "ask", "description": self.case, "inputSchema": {"type": "object"}}
        if self.case == "broken-structure":
            station = {"type": "object", "properties": {"degrees": {"type": "number"}}}
            stations = {"type": "array", "items": station}
            tool["outputSchema"] = {"type": "object", "properties": {"stations": stations}}
        return {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    def call(self, request_id: object) -> None:
        """Send what the case says, and return the result once every reply is there."""
        self.call_id = request_id
        if self.era is Era.ROUNDS:
            send({"jsonrpc": "2.0", "id": request_id, "result": (RESULTS | ROUNDS)[self.case]})
            return
        if self.case in ERRORS:
            error = {"code": URL_REQUIRED, "message": "First open this.", "data": ERRORS[self.case]}
            send({"jsonrpc": "2.0", "id": request_id, "error": error})
            return
        self.replies = []
        self.missing = sum("method" in message and "id" in message for message in self.messages)
        send(*self.messages)
        self.finish()

    def take(self, reply: Json) -> None:
        """Keep a reply of the client."""
        self.replies.append(reply)
        self.missing -= 1
        self.finish()

    def finish(self) -> None:
        """Return the result when nothing is missing any more."""
        if self.missing == 0:
            content = [{"type": "text", "text": json.dumps(self.replies)}]
            send({"jsonrpc": "2.0", "id": self.call_id, "result": {"content": content}})


def send(*messages: Json) -> None:
    """Write each message as a line, all of them at once: nothing comes between."""
    sys.stdout.write("".join(json.dumps(message) + "\n" for message in messages))
    sys.stdout.flush()


def stay_silent() -> None:
    """Read all input, and never write."""
    for _ in sys.stdin:
        pass


def exit_at_once() -> NoReturn:
    """Complain on standard error, and end."""
    sys.exit(COMPLAINT)


BEHAVIOURS = {"silent": stay_silent, "exit-at-once": exit_at_once}
"""Servers that never get as far as a tool."""

CASES = (*MESSAGES, *FLOODS, *RESULTS, *ROUNDS, *ERRORS, *BEHAVIOURS)


def main(case: str, times: str = "1") -> None:
    """Serve `case`."""
    BEHAVIOURS[case]() if case in BEHAVIOURS else RawServer(case, int(times)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
