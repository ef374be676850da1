"""The text of each message as it passed, beside the parsed one: the SDK parses a text and throws it away.

The wire log shows it. Nothing is parsed or printed for that: an incoming message carries the text that it was parsed
from, a message to a child is printed here instead of by the SDK, and the HTTP client says what it posted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from mcp.types import PARSE_ERROR, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from webclient.protocol.messages.sdk_errors import own_error
from webclient.protocol.messages.server_error import Trouble

POSTED: ContextVar[Callable[[bytes], None] | None] = ContextVar("posted", default=None)
"""Takes the body of the message in whose context this code runs, when it is posted. The SDK carries the context of the
sender to the place where a message is posted."""

_TEXT = "wire_text"

# In JSON, a backslash is always the first character of an escape. A whole pair is matched first, and stays.
_ESCAPE = r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)"
_ESCAPES = re.compile(_ESCAPE)
_ESCAPES_IN_BYTES = re.compile(_ESCAPE.encode())


def parsed_message(text: str | bytes, **options: Any) -> JSONRPCMessage:
    """Return the message in `text`, which it carries. Raises ValidationError.

    Each half of a surrogate pair is U+FFFD, as a browser shows it: a server that shortens a text in the middle of an
    emoji sends one, and the SDK would drop the whole message.
    """
    try:
        message: JSONRPCMessage = jsonrpc_message_adapter.validate_json(text, **options)
    except ValidationError:
        whole = _with_whole_characters(text)
        if whole == text:
            raise
        message = jsonrpc_message_adapter.validate_json(whole, **options)
    _carrier(message)[_TEXT] = text
    return message


def parsed_or_failed(text: str | bytes, **options: Any) -> JSONRPCMessage:
    """Return the message in `text`, or an error for an invalid response. Raises ValidationError.

    For transports on which the SDK cannot know which request a message belongs to.
    """
    try:
        return parsed_message(text, **options)
    except ValidationError:
        if (message := _failed(text)) is None:
            raise
        _carrier(message)[_TEXT] = text
        return message


def _with_whole_characters(text: str | bytes) -> str | bytes:
    if isinstance(text, str):
        return _ESCAPES.sub(lambda found: "\\ufffd" if found[1] else found[0], text)
    return _ESCAPES_IN_BYTES.sub(lambda found: b"\\ufffd" if found[1] else found[0], text)


def _failed(text: str | bytes) -> JSONRPCError | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    # A server may also log JSON to standard output.
    if not isinstance(found, dict) or found.get("jsonrpc") != "2.0" or "method" in found:
        return None
    request_id = found.get("id")
    if type(request_id) not in (int, str):
        return None
    error = own_error(Trouble.NOT_MCP, "The response is not valid JSON-RPC", code=PARSE_ERROR)
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)


def take_text(message: JSONRPCMessage) -> str | bytes | None:
    """Return the text that the message carries, once; None if the SDK made the message in place of a response."""
    text: str | bytes | None = _carrier(message).pop(_TEXT, None)
    return text


def _carrier(message: JSONRPCMessage) -> dict[str, Any]:
    # Of an error in an HTTP error response, the SDK makes another message with the same error. A key that is not a
    # field is neither compared nor written by pydantic.
    return message.error.__dict__ if isinstance(message, JSONRPCError) else message.__dict__


class PrintedMessage:
    """A message to a child that is printed already: `text` is what the SDK writes into the pipe."""

    def __init__(self, message: JSONRPCMessage) -> None:
        self.text = message.model_dump_json(by_alias=True, exclude_unset=True)

    def model_dump_json(self, **_options: Any) -> str:
        """Return the text: what the SDK calls, with the options used above."""
        return self.text
