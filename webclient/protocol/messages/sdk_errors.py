"""Errors of the SDK: which are the server's, which are the SDK's own, and which were made here.

The SDK takes errors of ours like errors of the server. Ours have a random key in their data, so that no server can send
an error that is mistaken for one of ours.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, HEADER_MISMATCH, INTERNAL_ERROR, METHOD_NOT_FOUND, PARSE_ERROR, ErrorData

from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.server_error import ServerError, Trouble

_OWN = f"mcp-webclient/{token_hex(8)}"

_SESSION_UNKNOWN = ("Session not found", "Session terminated")
"""The messages of servers, and of the SDK, for a session that the server does not know."""

_CLOSED = ("Connection closed", "SSE stream ")
"""The beginnings of the SDK's messages for a response that cannot come any more."""

_UNREADABLE = ("Failed to parse JSON response", "Failed to parse SSE message")
"""The beginnings of the SDK's messages for a response that is not JSON-RPC."""


def own_error(trouble: Trouble, message: str, *, code: int = INTERNAL_ERROR, **details: Any) -> ErrorData:
    """Return an error of ours that the SDK raises like one of the server."""
    return ErrorData(code=code, message=message, data={_OWN: trouble.name, **details})


def too_large(error: TooLargeError) -> ErrorData:
    """Return the error for a request whose result was discarded: the server has processed it."""
    return own_error(Trouble.TOO_LARGE, str(error), setting=error.name, most=error.most)


def server_error(error: MCPError) -> ServerError:
    """Return an error of the SDK as ours."""
    code, message, data = error.error.code, error.error.message, error.error.data
    if not _is_own(data):
        return ServerError(code, message, data, _trouble(error))
    details = {name: value for name, value in data.items() if name != _OWN}
    return ServerError(code, message, None, Trouble[data[_OWN]], details)


def _is_own(data: Any) -> bool:
    return isinstance(data, dict) and _OWN in data


def _trouble(error: MCPError) -> Trouble | None:
    data, message = error.error.data, error.error.message
    state_rejected = isinstance(data, dict) and data.get("reason") == "invalid_request_state"
    signs = {
        Trouble.HEADERS_REFUSED: error.error.code == HEADER_MISMATCH,
        Trouble.SESSION_UNKNOWN: is_session_unknown(error),
        Trouble.CLOSED: is_connection_closed(error),
        Trouble.NOT_MCP: is_not_mcp(error),
        # The Python SDK has a reason for it; other SDKs say it in the message.
        Trouble.STATE_UNKNOWN: state_rejected or "requestState" in message,
    }
    return next((trouble for trouble, is_shown in signs.items() if is_shown), None)


def is_not_mcp(error: MCPError) -> bool:
    """Return whether the server answered with JSON that is not JSON-RPC; the message is the parser's then."""
    own = _is_own(error.error.data) and error.error.data[_OWN] == Trouble.NOT_MCP.name
    return own or (error.error.code == PARSE_ERROR and error.error.message.startswith(_UNREADABLE))


def is_sign_in_wanted(error: MCPError) -> bool:
    """Return whether the request was refused until the user signs in."""
    return _is_own(error.error.data) and error.error.data[_OWN] == Trouble.SIGN_IN.name


def is_unsupported(error: MCPError) -> bool:
    """Return whether the server lacks the method; some servers declare a capability without it."""
    return error.error.code == METHOD_NOT_FOUND


def is_session_unknown(error: MCPError) -> bool:
    """Return whether the server no longer knows our session; only a new connection helps."""
    own = _is_own(error.error.data) and error.error.data[_OWN] == Trouble.SESSION_UNKNOWN.name
    return own or error.error.message in _SESSION_UNKNOWN


def is_connection_closed(error: MCPError) -> bool:
    """Return whether the SDK reports that the connection was closed; servers use the same code for other errors."""
    return error.error.code == CONNECTION_CLOSED and error.error.message.startswith(_CLOSED)


def http_status(error: MCPError) -> int | None:
    """Return the HTTP status if the server sent one without a JSON-RPC error."""
    data = error.error.data
    return data["status"] if _is_own(data) and data[_OWN] == Trouble.HTTP_ERROR.name else None
