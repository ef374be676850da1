"""Measures JSON while it comes, before it is read: how many bytes a message has, and how many values.

Twenty megabytes of `[],` become two gigabytes of objects, so bytes alone say little of what reading costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webclient.protocol.limits import TooLargeError

# A string ends with its quote, or with the line: JSON has no raw line break in strings. Possessive, so linear.
_STRING = re.compile(rb'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+["\r\n]')
_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class Meter:
    """Counts one message. `name` is the setting that says `most_bytes`."""

    def __init__(self, name: str, most_bytes: int, most_values: int) -> None:
        self._name = name
        self._most_bytes = most_bytes
        self._most_values = most_values
        self._bytes = 0
        self._values = 0
        self._begun = b""

    def feed(self, piece: bytes) -> None:
        """Count a piece of the message. Raises TooLargeError."""
        self._bytes += len(piece)
        if self._bytes > self._most_bytes:
            raise TooLargeError(self._name, self._most_bytes)
        if self._begun == b'"' and not any(each in piece for each in (b'"', b"\\", b"\n", b"\r")):
            return
        outside = _STRING.sub(b"", self._begun + piece)
        plain, quote, inside = outside.partition(b'"')
        # Of a string that goes on, only whether its last character is escaped matters to the next piece.
        escapes = (len(inside) - len(inside.rstrip(b"\\"))) % 2
        self._begun = quote + b"\\" * escapes
        self._values += plain.count(b",") + plain.count(b"[") + plain.count(b"{")
        self.add(0)

    def add(self, values: int) -> None:
        """Count so many values more. Raises TooLargeError."""
        self._values += values
        if self._values > self._most_values:
            raise TooLargeError("max_message_values", self._most_values)


def lines_in(piece: bytes) -> int:
    """Return how many lines of an event stream end in the piece, of those between blank lines too."""
    return piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")


class EventMeter:
    """Counts each server-sent event of a stream by itself, with a meter that `next_meter` gives.

    More may be taken of an event than of those before it: a stream may be opened before the session stands.
    A line is a value, as each is read and kept by itself.
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
            # What lies between is no larger than the piece.
            last = max(joined.rfind(blank) + len(blank) for blank in (b"\n\n", b"\r\r", b"\r\n\r\n") if blank in joined)
            self._meter = None
            self._count(joined[last:])
        self._end = joined[-3:] if first is None else joined[last:][-3:]

    def _count(self, piece: bytes) -> None:
        if piece:
            self._meter = self._meter or self._next_meter()
            self._meter.feed(piece)
            self._meter.add(lines_in(piece))
