"""Messages made by hand, in the log of one server."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from webclient.domain.model import Json
from webclient.protocol.wire_log import Direction, Masks, MessageKind, ServerLog, WireLogEntry, WireLogs, WireMessage

KEY = ("local", "server")
MOST = 64 * 2**20


class Made:
    """The log of a server with messages of a test."""

    def __init__(self, most_bytes: int = MOST) -> None:
        self.logs = WireLogs(most_bytes)
        self.masks = Masks()

    @property
    def log(self) -> ServerLog:
        """The log."""
        return self.logs.of(KEY)

    def add(
        self, direction: str, content: Json | str | bytes | None, secrets: Collection[str] = (), **values: Any
    ) -> WireMessage:
        """Add a message; its kind and method are those in the content, unless given."""
        read = content if isinstance(content, dict) else {}
        kind = "result" if "result" in read else "request" if "id" in read else "notification"
        given = {"kind": MessageKind(kind), "method": read.get("method", ""), "id": read.get("id")} | values
        message = WireMessage(direction=Direction(direction), **given)
        self.logs.add(KEY, message, json.dumps(content) if isinstance(content, dict) else content, secrets)
        return message

    def entries(self, withheld: dict[str, Collection[str]] | None = None) -> list[WireLogEntry]:
        """Return the entries of all messages."""
        snapshot = self.log.snapshot()
        return self.masks.entries(snapshot, snapshot.messages, withheld or {})

    def text(self, withheld: dict[str, Collection[str]] | None = None) -> str:
        """Return all that readers can see of the log."""
        return "\n".join(json.dumps(each.as_json, ensure_ascii=False) for each in self.entries(withheld))


def call(arguments: Json, **more: Any) -> Json:
    """Return a call of a tool."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": arguments, **more}}


def elicitation(schema: Json, message: str = "?") -> Json:
    """Return a pushed request for a form."""
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params}


def answer(content: Json) -> Json:
    """Return an answer to a pushed request."""
    return {"jsonrpc": "2.0", "id": 7, "result": {"action": "accept", "content": content}}


def said(text: str) -> Json:
    """Return the result of a call with this text."""
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}
