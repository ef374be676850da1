"""Standard output of a child as whole lines, measured while they come; a result that is too long is skipped.

The SDK searches a line again with each chunk of it, and has no limit for its length.
"""

from __future__ import annotations

import json
import re

from anyio.abc import ByteReceiveStream

from webclient.protocol.messages.limits import Meter, TooLargeError
from webclient.protocol.messages.sdk_errors import too_large
from webclient.protocol.transports.transport_state import TransportState

READ_BYTES = 65_536
"""Bytes that are read from the pipe at once."""

_END_BYTES = 1024
"""Bytes that are kept of each end of a long line."""

_LONGEST_LINE = 8
"""Times the limit for a message, after which a long line is considered endless."""

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_BEGINS = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ID + rb",\s*(?:" + _VERSION + rb",\s*)?" + rb'"result"')
_RESULT_FIRST = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb',\s*)?"result"')
_ENDS = re.compile(rb",\s*" + _ID + rb"(?:,\s*" + _VERSION + rb")?\}\s*$")


class WholeLines(ByteReceiveStream):
    """A stream of whole lines from the standard output of a child.

    A result that is too long is skipped, and an error takes its place. Any other line that is too long closes the
    session with that reason, because its meaning is unknown.
    """

    def __init__(self, inner: ByteReceiveStream, transport_state: TransportState) -> None:
        self._inner = inner
        self._transport_state = transport_state
        self._begun: list[bytes] = []
        self._meter: Meter | None = None
        self._long: LongLine | None = None

    async def receive(self, max_bytes: int = READ_BYTES) -> bytes:
        """Return the next lines. Raises EndOfStream."""
        while True:
            if self._transport_state.given_up:
                # Read and drop, so that a child which still writes can end.
                await self._inner.receive(READ_BYTES)
                continue
            chunk = await self._inner.receive(max_bytes)
            try:
                whole = self._lines(chunk)
            except TooLargeError as error:
                self._begun = []
                self._transport_state.give_up(error.reason)
                continue
            await self._transport_state.throttle.bytes(len(chunk))
            if whole:
                return whole

    def _lines(self, chunk: bytes) -> bytes:
        """Return the lines that end in the chunk, and keep the beginning of the next. Raises TooLargeError."""
        first, newline, others = chunk.partition(b"\n")
        if self._long is not None:
            self._long.feed(first)
            if not newline:
                return b""
            error_line, self._long = self._long.error_line(), None
            return error_line + self._lines(others)
        # Lines that begin and end in one chunk are shorter than it, so they need no meter.
        lines, more, rest = others.rpartition(b"\n")
        if not self._is_within_limit(first):
            return self._lines(newline + others) if newline else b""
        if not newline:
            self._begun.append(chunk)
            return b""
        whole = b"".join([*self._begun, first, newline, lines, more])
        self._begun, self._meter = [], None
        if rest and self._is_within_limit(rest):
            self._begun = [rest]
        return whole

    def _is_within_limit(self, piece: bytes) -> bool:
        """Count a piece of the current line; return False if the line is too long and skipped from now on."""
        self._meter = self._meter or self._transport_state.meter()
        try:
            self._meter.feed(piece)
        except TooLargeError as error:
            if not self._transport_state.established:
                raise
            begun = b"".join([*self._begun, piece])
            self._long = LongLine(error, begun, self._transport_state.limits.max_message_bytes)
            self._begun, self._meter = [], None
        return self._long is None

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()


class LongLine:
    """A line that is skipped because of `error`; `begun` is its beginning, `most` the limit for a message in bytes.

    The id that a result has is at one of the ends of its line, so both ends are kept.
    """

    def __init__(self, error: TooLargeError, begun: bytes, most: int) -> None:
        self._error = error
        self._begun = begun[:_END_BYTES]
        self._end = begun[-_END_BYTES:]
        self._left = _LONGEST_LINE * most

    def feed(self, piece: bytes) -> None:
        """Skip a piece of the line. Raises TooLargeError if the line is so long that it may be endless."""
        self._left -= len(piece)
        if self._left < 0:
            raise self._error
        self._begun += piece[: _END_BYTES - len(self._begun)]
        self._end = (self._end + piece[-_END_BYTES:])[-_END_BYTES:]

    def error_line(self) -> bytes:
        """Return a line with the error for this result. Raises TooLargeError if the line is not a result.

        Both SDKs in wide use write the id beside the result: before it (Python) or after it (TypeScript).
        """
        found = _BEGINS.match(self._begun) or (_RESULT_FIRST.match(self._begun) and _ENDS.search(self._end))
        if not found:
            raise self._error
        error = too_large(self._error).model_dump(exclude_none=True)
        return json.dumps({"jsonrpc": "2.0", "id": json.loads(found[1]), "error": error}).encode() + b"\n"
