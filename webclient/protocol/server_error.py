"""How a call that was sent fails: the server's JSON-RPC error, or the reason why no answer came."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from mcp import MCPError
from mcp.types import CONNECTION_CLOSED

from webclient.model import Json
from webclient.protocol.explain import NOT_SENT, is_lost_session, is_not_mcp


class Trouble(Enum):
    """What an error says beyond its code."""

    SESSION_UNKNOWN = auto()
    """The server does not know our session, because it was restarted; it has not looked at the request."""
    NOT_SENT = auto()
    """The request certainly did not reach the server."""
    CLOSED = auto()
    """The connection was lost before an answer came; the server may have run the request."""
    TOO_LARGE = auto()
    """The answer was larger than a limit of ours, so it was not read; the server has run the request."""
    STATE_UNKNOWN = auto()
    """The server rejected the `requestState` that it had sent: it expired, or the server lost its key."""
    NOT_MCP = auto()
    """The server answered with JSON that is not JSON-RPC."""


_UNANSWERED = (Trouble.SESSION_UNKNOWN, Trouble.NOT_SENT, Trouble.CLOSED)


class ServerError(Exception):
    """A JSON-RPC error in place of a result; `trouble` is what else is known of it."""

    def __init__(self, code: int, message: str, data: Any = None, trouble: Trouble | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.trouble = trouble

    @property
    def not_run(self) -> bool:
        """Whether the server has certainly not looked at the request, so that it may be sent again."""
        return self.trouble in (Trouble.SESSION_UNKNOWN, Trouble.NOT_SENT)

    @property
    def unanswered(self) -> bool:
        """Whether no answer came from the server, and the error was made on our side."""
        return self.trouble in _UNANSWERED

    @property
    def as_json(self) -> Json:
        """The error object, as it came."""
        return {"code": self.code, "message": self.message} | ({} if self.data is None else {"data": self.data})


class MalformedResultError(Exception):
    """The server's result is not valid MCP; the message says where and why."""


def server_error(error: MCPError) -> ServerError:
    """Return an error of the SDK as ours."""
    return ServerError(error.error.code, error.error.message, error.error.data, _trouble(error))


def _trouble(error: MCPError) -> Trouble | None:
    reason = error.error.data.get("reason") if isinstance(error.error.data, dict) else None
    signs = {
        Trouble.SESSION_UNKNOWN: is_lost_session(error),
        Trouble.NOT_SENT: error.error.data == NOT_SENT,
        Trouble.CLOSED: error.error.code == CONNECTION_CLOSED,
        Trouble.TOO_LARGE: reason == "too_large",
        Trouble.NOT_MCP: is_not_mcp(error),
        # The Python SDK has a reason for it, and the others say it in the message.
        Trouble.STATE_UNKNOWN: reason == "invalid_request_state" or "requestState" in error.error.message,
    }
    return next((trouble for trouble, shown in signs.items() if shown), None)
