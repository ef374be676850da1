"""How much one server may send, and the meters that count it while it comes, before it is parsed.

A message is counted in bytes and in values: twenty megabytes of `[],` become two gigabytes of objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from webclient.domain.model import Reason, ReasonCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The limits for one server; each is the setting of that name, in its unit.

    `max_server_requests` limits the requests that wait for an answer at the same time. `max_messages_per_second` limits
    how many messages are read, of all kinds; more wait in the server.
    """

    max_message_bytes: int = 32 * 2**20
    max_message_values: int = 200_000
    max_greeting_bytes: int = 2**20
    max_error_bytes: int = 2**18
    max_state_bytes: int = 2**20
    max_catalog_bytes: int = 4 * 2**20
    max_catalog_entries: int = 1000
    max_server_requests: int = 1250
    max_messages_per_second: int = 500
    connect_seconds: float = 120

    def check_state(self, state: str | None) -> None:
        """Raise TooLargeError when a `requestState` is too large to be stored."""
        if state is not None and len(state.encode(errors="replace")) > self.max_state_bytes:
            raise TooLargeError("max_state_bytes", self.max_state_bytes)


class TooLargeError(Exception):
    """A server sent more than `most`, which is the setting `name`."""

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.most = most
        super().__init__(f"The server sent more than {most:,} (setting {name}).")

    @property
    def reason(self) -> Reason:
        """Why the connection ends on which it came."""
        by_values = self.name == "max_message_values"
        code = ReasonCode.MESSAGE_TOO_MANY_VALUES if by_values else ReasonCode.MESSAGE_TOO_LARGE
        return Reason.of(code, most=self.most, setting=self.name)


STOP_TIMEOUT = 2.7
"""Seconds that a session has to close properly; a child that does not stop is killed before."""

ABANDON_TIMEOUT = 0.8
"""Seconds to tear down a session that did not close properly; then its child is killed."""

MOST_SIGN_INS = 3
"""Sign-ins in a row, for one message or one connection, that a server may want."""


# A string ends with its quote, or with the line: JSON has no raw line break in strings. Possessive, so linear.
_STRING = re.compile(rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+["\r\n]')
_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class Meter:
    """Counts one message. `name` is the setting of `most_bytes`."""

    def __init__(self, name: str, most_bytes: int, most_values: int) -> None:
        self._name = name
        self._most_bytes = most_bytes
        self._most_values = most_values
        self._bytes = 0
        self._values = 0
        self._open_string = b""

    def feed(self, piece: bytes) -> None:
        """Count a piece of the message. Raises TooLargeError."""
        self._bytes += len(piece)
        if self._bytes > self._most_bytes:
            raise TooLargeError(self._name, self._most_bytes)
        if self._open_string == b'"' and not any(each in piece for each in (b'"', b"\\", b"\n", b"\r")):
            return
        outside = _STRING.sub(b"", self._open_string + piece)
        plain, quote, inside = outside.partition(b'"')
        # Of a string that continues, the next piece needs to know only whether its last character is escaped.
        escapes = (len(inside) - len(inside.rstrip(b"\\"))) % 2
        self._open_string = quote + b"\\" * escapes
        self.add_values(plain.count(b",") + plain.count(b"[") + plain.count(b"{"))

    def add_values(self, count: int) -> None:
        """Count so many values more. Raises TooLargeError."""
        self._values += count
        if self._values > self._most_values:
            raise TooLargeError("max_message_values", self._most_values)


def lines_in(piece: bytes) -> int:
    """Return how many lines of an event stream end in the piece, blank ones included."""
    return piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")


class EventMeter:
    """Counts each server-sent event of a stream with a meter of its own, made by `next_meter`.

    Limits change during a stream: it may be opened before the session is established. A line counts as a value, because
    the SDK reads and keeps each line by itself.
    """

    def __init__(self, next_meter: Callable[[], Meter]) -> None:
        self._next_meter = next_meter
        self._meter: Meter | None = None
        self._end = b""

    def feed(self, piece: bytes) -> None:
        """Count a piece of the stream. Raises TooLargeError."""
        joined = self._end + piece
        first = _BLANK.search(joined) if b"\n" in piece or b"\r" in piece else None
        if first is None:
            self._count(piece)
        else:
            self._count(joined[len(self._end) : first.end()])
            # The events between the first and the last blank line are smaller than the piece.
            last = max(joined.rfind(blank) + len(blank) for blank in (b"\n\n", b"\r\r", b"\r\n\r\n") if blank in joined)
            self._meter = None
            self._count(joined[last:])
        self._end = joined[-3:] if first is None else joined[last:][-3:]

    def _count(self, piece: bytes) -> None:
        if piece:
            self._meter = self._meter or self._next_meter()
            self._meter.feed(piece)
            self._meter.add_values(lines_in(piece))
