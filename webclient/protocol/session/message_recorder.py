"""Notes each message of one session for the wire log: its kind, its era, its request and its calls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextvars import Context
from typing import Any

from mcp.types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from webclient.protocol.session.session_events import CALL
from webclient.protocol.wire_log import Direction, MessageKind, WireMessage

MOST_OPEN = 2000
"""Requests of each side whose responses are expected; a response to an older one is not paired."""

_KINDS = {
    JSONRPCRequest: MessageKind.REQUEST,
    JSONRPCNotification: MessageKind.NOTIFICATION,
    JSONRPCResponse: MessageKind.RESULT,
    JSONRPCError: MessageKind.ERROR,
}

_Requests = OrderedDict[RequestId, WireMessage]

OnMessage = Callable[[WireMessage, "str | bytes | None"], None]
"""Called with each message and its text, None if that comes later or never."""


class MessageRecorder:
    """Gives each message of a session to `on_message`, which sets its number."""

    def __init__(self, on_message: OnMessage) -> None:
        self._on_message = on_message
        self._version = ""
        self._requests: dict[Direction, _Requests] = {each: OrderedDict() for each in Direction}

    def sent(self, message: JSONRPCMessage, text: str | None) -> WireMessage:
        """Note a message to the server; called in the context of its sender."""
        return self._note(Direction.SENT, message, CALL.get(), text)

    def received(self, message: JSONRPCMessage, context: Context | None, text: str | bytes | None) -> None:
        """Note a message from the server; `context` is the one that the transport gives."""
        self._note(Direction.RECEIVED, message, context.get(CALL) if context else None, text)

    def _note(
        self, direction: Direction, message: JSONRPCMessage, call_id: str | None, text: str | bytes | None
    ) -> WireMessage:
        noted = WireMessage(
            direction=direction,
            kind=_KINDS[type(message)],
            method=message.method if isinstance(message, JSONRPCRequest | JSONRPCNotification) else "",
            # Not `getattr`, which is slow for a model without the field.
            id=None if isinstance(message, JSONRPCNotification) else message.id,
            call_ids=(call_id,) if call_id else (),
            made_here=direction is Direction.RECEIVED and text is None,
        )
        request = None
        if noted.is_response:
            request = self._respond(noted, message)
        else:
            self._ask(noted, message)
        self._on_message(noted, text)
        if request:
            request.answered_by = noted.number
        return noted

    def _ask(self, noted: WireMessage, message: Any) -> None:
        """Note a request or a notification."""
        params = message.params or {}
        noted.era = _version_in(params) or self._version
        if noted.id is not None:
            if noted.method == "initialize":
                noted.era = _text(params.get("protocolVersion"))
            requests = self._requests[noted.direction]
            requests[noted.id] = noted
            if len(requests) > MOST_OPEN:
                requests.popitem(last=False)
        elif request := self._request_of(noted, params):
            noted.call_ids = request.call_ids

    def _request_of(self, noted: WireMessage, params: dict[str, Any]) -> WireMessage | None:
        """Return the request that a notification is about."""
        if noted.method == "notifications/progress":
            # The SDK uses the id of a request as its progress token.
            return self._find(_other(noted.direction), params.get("progressToken"))
        if noted.method == "notifications/cancelled":
            return self._find(noted.direction, params.get("requestId"))
        return None

    def _find(self, direction: Direction, request_id: object) -> WireMessage | None:
        return self._requests[direction].get(request_id) if isinstance(request_id, str | int) else None

    def _respond(self, noted: WireMessage, message: Any) -> WireMessage | None:
        """Note a response; return its request."""
        request = self._requests[_other(noted.direction)].pop(noted.id, None) if noted.id is not None else None
        noted.era = self._version
        if request is None:
            return None
        noted.method, noted.answers, noted.call_ids = request.method, request.number, request.call_ids
        noted.took = noted.clock - request.clock
        if request.method == "initialize" and isinstance(message, JSONRPCResponse):
            self._version = _text(message.result.get("protocolVersion"))
            noted.era = self._version
        else:
            noted.era = request.era
        return request


def _version_in(params: dict[str, Any]) -> str:
    """Return the protocol version that a request of 2026-07-28 names."""
    meta = params.get("_meta")
    return _text(meta.get(PROTOCOL_VERSION_META_KEY)) if isinstance(meta, dict) else ""


def _text(value: object) -> str:
    return value[:40] if isinstance(value, str) else ""


def _other(direction: Direction) -> Direction:
    return Direction.RECEIVED if direction is Direction.SENT else Direction.SENT
