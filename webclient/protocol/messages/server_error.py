"""How a request to a server fails: with the server's JSON-RPC error, or because no response could come."""

from __future__ import annotations

from enum import Enum, auto
from http import HTTPStatus
from typing import Any

from webclient.domain.model import Json


class Trouble(Enum):
    """Facts about an error besides its code and message."""

    SESSION_UNKNOWN = auto()
    """The server does not know our session, because it was restarted; it did not process the request."""
    NOT_SENT = auto()
    """The request certainly did not reach the server."""
    CLOSED = auto()
    """The connection was lost before a response came; the server may have processed the request."""
    NOT_RESUMED = auto()
    """The stream of the response ended before it came, and could not be resumed; the server may have processed it."""
    HEADERS_REFUSED = auto()
    """The server compared headers and message, and refused the request unread: the tool has changed."""
    TOO_LARGE = auto()
    """The result was larger than a limit of ours and was discarded; the server has processed the request."""
    HTTP_ERROR = auto()
    """The server answered with an HTTP error status and without a JSON-RPC error."""
    STATE_UNKNOWN = auto()
    """The server rejected its own `requestState`: it expired, or the server lost its key."""
    SIGN_IN = auto()
    """The server refused the request, unread, until the user signs in, or signs in for more."""
    NOT_MCP = auto()
    """The server answered with JSON that is not JSON-RPC."""


_NOT_RUN = (Trouble.SESSION_UNKNOWN, Trouble.NOT_SENT, Trouble.HEADERS_REFUSED, Trouble.SIGN_IN)
_UNANSWERED = (Trouble.SESSION_UNKNOWN, Trouble.NOT_SENT, Trouble.CLOSED, Trouble.NOT_RESUMED)


class ServerError(Exception):
    """A JSON-RPC error in place of a result.

    `code`, `message` and `data` are the server's; with a `trouble` that we found, `message` may be ours. `details` are
    facts about the trouble: `{setting, most}` if something was too large, `{status}` of an
    HTTP error (None if there was no response).
    """

    def __init__(
        self, code: int, message: str, data: Any = None, trouble: Trouble | None = None, details: Json | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.trouble = trouble
        self.details = details or {}

    @property
    def not_run(self) -> bool:
        """Whether the server certainly did not process the request; it may be sent again."""
        return self.trouble in _NOT_RUN

    @property
    def unanswered(self) -> bool:
        """Whether no response came from the server, and the error was made here."""
        return self.trouble in _UNANSWERED

    @property
    def not_received(self) -> bool:
        """Whether the server has nothing of the request, or refused it unread (HTTP 4xx)."""
        refused = self.trouble is Trouble.HTTP_ERROR and self.details["status"] < HTTPStatus.INTERNAL_SERVER_ERROR
        return self.not_run or refused

    @property
    def received(self) -> bool:
        """Whether the server certainly has the request; a proxy may send HTTP errors and other JSON in its place."""
        return self.trouble not in (*_UNANSWERED, *_NOT_RUN, Trouble.HTTP_ERROR, Trouble.NOT_MCP)

    @property
    def as_json(self) -> Json:
        """The error object, as it came."""
        return {"code": self.code, "message": self.message} | ({} if self.data is None else {"data": self.data})


class MalformedResultError(Exception):
    """The server's result is not valid MCP; the message says where and why."""
