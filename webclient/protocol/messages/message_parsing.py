"""Parses the messages of servers, also some that the SDK's parser refuses: no call waits for a response that came.

The SDK drops what it refuses, and the request ends by its time limit.
"""

from __future__ import annotations

import json
import re
from typing import Any

from mcp.types import PARSE_ERROR, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from webclient.protocol.messages.message_texts import carry_text
from webclient.protocol.messages.sdk_errors import own_error
from webclient.protocol.messages.server_error import Trouble

# With the beginning that all have in front, as that is found fastest.
_U = r"\\u[dD]"
_HIGH, _LOW = r"[89abAB][\da-fA-F]{2}", r"[c-fC-F][\da-fA-F]{2}"
_HALF = f"{_U}(?:{_HIGH}(?!{_U}{_LOW})|(?<!{_U}{_HIGH}{_U}){_LOW})"
_HALVES, _HALVES_IN_BYTES = re.compile(_HALF), re.compile(_HALF.encode())


def parsed_message(text: str | bytes, **options: Any) -> JSONRPCMessage:
    """Return the message in `text`, which it carries. Raises ValidationError.

    Half of a surrogate pair is read as U+FFFD, as browsers do (RFC 8259, section 8.2, leaves it open): a server that
    shortens a text in the middle of an emoji sends one.
    """
    try:
        message: JSONRPCMessage = jsonrpc_message_adapter.validate_json(text, **options)
    except ValidationError:
        whole = _without_halves(text)
        if whole == text:
            raise
        message = jsonrpc_message_adapter.validate_json(whole, **options)
    carry_text(message, text)
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
        carry_text(message, text)
        return message


def _without_halves(text: str | bytes) -> str | bytes:
    # An escaped backslash begins no escape, so NUL, which JSON never has, stands for it meanwhile. No code of ours runs
    # for each escape: 32 MB of them, the largest message, would hold up all users for six seconds.
    if isinstance(text, str):
        return text if "\0" in text else _HALVES.sub(r"\\ufffd", text.replace(r"\\", "\0")).replace("\0", r"\\")
    if b"\0" in text:
        return text
    return _HALVES_IN_BYTES.sub(rb"\\ufffd", text.replace(rb"\\", b"\0")).replace(b"\0", rb"\\")


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
