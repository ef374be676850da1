"""A stdio server by hand that writes Arabic and Chinese wherever a server can write, in 2025-11-25.

`python -m tests.mcp_servers.foreign`. `ask` asks with a form of every kind of field, `secret` for a password, `link`
with an address; `fail` answers with an error, `wrong` with a result that is one; `show` returns blocks of every type.
"""

from __future__ import annotations

import json
import sys

from webclient.domain.model import Era, Json

ARABIC = "مرحبا بالعالم ABC-123."
CHINESE = "你好，世界。"
BOTH = f"{ARABIC} {CHINESE}"

PROPERTIES: Json = {
    "name": {"type": "string", "title": ARABIC, "description": CHINESE, "default": ARABIC, "maxLength": 60},
    "plan": {"type": "string", "title": CHINESE, "enum": ["a", "b", "c", "d", "e", "f"], "enumNames": [BOTH] * 6},
    "size": {
        "type": "string",
        "title": BOTH,
        "oneOf": [{"const": "s", "title": ARABIC}, {"const": "l", "title": CHINESE}],
    },
    "meals": {
        "type": "array",
        "title": f"3 {CHINESE}",
        "description": ARABIC,
        "minItems": 1,
        "items": {"anyOf": [{"const": "x", "title": ARABIC}, {"const": "y", "title": CHINESE}]},
    },
    "seats": {"type": "integer", "title": f"4 {ARABIC}", "minimum": 1},
    "sure": {"type": "boolean", "title": f"5 {CHINESE}", "description": ARABIC},
    "when": {"type": "string", "format": "date", "title": f"6 {ARABIC}"},
}
FORM: Json = {
    "type": "object",
    "title": ARABIC,
    "description": CHINESE,
    "properties": PROPERTIES,
    "required": ["name", "seats", "meals"],
}
SECRET: Json = {"type": "object", "properties": {"password": {"type": "string", "title": f"password {ARABIC}"}}}
ARGUMENTS: Json = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "title": ARABIC, "description": CHINESE},
        CHINESE: {"type": "string", "description": ARABIC},
        "deep": {"type": "object", "title": BOTH, "properties": {"inner": {"type": "string", "title": ARABIC}}},
        "list": {"type": "array", "title": CHINESE, "items": {"type": "string", "title": ARABIC}},
    },
}
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TABLE = f"| {ARABIC} | {CHINESE} |\n| - | - |\n| {CHINESE} | {ARABIC} |"
BLOCKS: list[Json] = [
    {"type": "text", "text": BOTH},
    {"type": "text", "text": json.dumps({CHINESE: ARABIC}, ensure_ascii=False)},
    {
        "type": "text",
        "text": f"# {CHINESE}\n\n* {ARABIC}\n* {CHINESE}\n\n{TABLE}",
    },
    {"type": "image", "data": PICTURE, "mimeType": "image/png"},
    {"type": "resource_link", "uri": "test://x", "name": ARABIC, "title": CHINESE, "description": BOTH},
    {"type": "resource", "resource": {"uri": "test://y", "mimeType": "text/plain", "text": BOTH}},
]
TOOLS: list[Json] = [
    {"name": name, "title": f"{name} {ARABIC}", "description": f"{CHINESE}\n{ARABIC}", "inputSchema": ARGUMENTS}
    for name in ("ask", "secret", "link", "fail", "wrong", "show")
]
PROMPTS: list[Json] = [
    {
        "name": "打招呼",
        "title": CHINESE,
        "description": ARABIC,
        "arguments": [{"name": "who", "title": ARABIC, "description": CHINESE}],
    }
]
RESOURCE: Json = {"name": CHINESE, "title": ARABIC, "description": BOTH}

asking: dict[str, object] = {}


def result_of(method: str) -> Json | None:
    """Return the result of a request other than a call; None for one that is unknown."""
    capabilities: Json = {"tools": {}, "resources": {}, "prompts": {}, "logging": {}}
    greeting = {"protocolVersion": Era.PUSH, "capabilities": capabilities, "instructions": BOTH}
    message = {"role": "user", "content": BLOCKS[0]}
    results: dict[str, Json] = {
        "initialize": {**greeting, "serverInfo": {"name": CHINESE, "title": ARABIC, "version": "1"}},
        "tools/list": {"tools": TOOLS},
        "prompts/list": {"prompts": PROMPTS},
        "prompts/get": {"description": ARABIC, "messages": [message]},
        "resources/list": {"resources": [{"uri": "test://x", **RESOURCE}]},
        "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "test://{id}", **RESOURCE}]},
        "resources/read": {"contents": [{"uri": "test://x", "mimeType": "text/plain", "text": BOTH}]},
        "ping": {},
        "logging/setLevel": {},
    }
    return results.get(method)


def call(id_: object, params: Json) -> None:
    """Do what a tool does: ask first, or answer."""
    name = params["name"]
    send({"method": "notifications/message", "params": {"level": "info", "logger": CHINESE, "data": ARABIC}})
    if token := (params.get("_meta") or {}).get("progressToken"):
        progress = {"progressToken": token, "progress": 1, "total": 2, "message": BOTH}
        send({"method": "notifications/progress", "params": progress})
    if name in ("ask", "secret", "link"):
        forms = {"ask": FORM, "secret": SECRET}
        request: Json = {"mode": "form", "message": f"{BOTH}\n{ARABIC}", "requestedSchema": forms.get(name)}
        if name == "link":
            address = f"https://example.com/{len(asking)}"
            request = {"mode": "url", "message": BOTH, "url": address, "elicitationId": f"e{len(asking)}"}
        asking[key := f"q{len(asking)}"] = id_
        send({"id": key, "method": "elicitation/create", "params": request})
    elif name == "fail":
        send({"id": id_, "error": {"code": -32000, "message": BOTH, "data": {CHINESE: ARABIC}}})
    elif name == "wrong":
        send({"id": id_, "result": {"content": [BLOCKS[0]], "isError": True}})
    else:
        send({"id": id_, "result": {"content": BLOCKS, "structuredContent": {CHINESE: ARABIC}}})


def send(message: Json) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        message: Json = json.loads(line)
        if message.get("method") == "tools/call":
            call(message["id"], message["params"])
        elif "method" in message and "id" in message:
            result = result_of(message["method"])
            unknown = {"error": {"code": -32601, "message": BOTH}}
            send({"id": message["id"], **({"result": result} if result is not None else unknown)})
        elif message.get("id") in asking:
            answer = json.dumps(message.get("result"), ensure_ascii=False)
            send({"id": asking[message["id"]], "result": {"content": [{"type": "text", "text": f"{BOTH} {answer}"}]}})


if __name__ == "__main__":
    main()
