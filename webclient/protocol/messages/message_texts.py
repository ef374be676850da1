"""The text of each message as it passed, beside the parsed one: the SDK parses a text and throws it away.

The wire log shows it. Nothing is parsed or printed for that: an incoming message carries the text that it was parsed
from, a message to a child is printed here instead of by the SDK, and the HTTP client says what it posted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from mcp.types import JSONRPCError, JSONRPCMessage

POSTED: ContextVar[Callable[[bytes], None] | None] = ContextVar("posted", default=None)
"""Takes the body of the message in whose context this code runs, when it is posted. The SDK carries the context of the
sender to the place where a message is posted."""

_TEXT = "wire_text"


def carry_text(message: JSONRPCMessage, text: str | bytes) -> None:
    """Have the message carry the text that it was parsed from."""
    _carrier(message)[_TEXT] = text


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
