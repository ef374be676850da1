"""What comes from a server, decoded and counted before anybody reads it: the bodies of HTTP, and the lines of a child.

Compression is undone here and not by the HTTP library, which would decode a packet of 64 kB into 64 MB at once.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

import httpx2
from anyio.abc import ByteReceiveStream

from webclient.protocol.http_bodies import is_events
from webclient.protocol.json_meter import EventMeter, Meter, lines_in
from webclient.protocol.limits import TooLargeError
from webclient.protocol.long_line import LongLine
from webclient.protocol.transport_state import TransportState

ACCEPTED = "gzip"
"""The one compression that servers are told may be used."""

PIECE = 65_536
"""Bytes that are decoded and counted at once."""


_Decode = Callable[[bytes], Iterator[bytes]]


async def bound(wire: TransportState, response: httpx2.Response) -> None:
    """Have the body of a response decoded and counted as it is read; an event hook of the HTTP client.

    Reading then raises TooLargeError, or DecodingError.
    """
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    each = partial(_meter, wire, is_error=response.is_error)
    meter = EventMeter(each) if is_events(response) and not response.is_error else each()
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Body(response.stream, coding, meter, wire)


def _meter(wire: TransportState, *, is_error: bool = False) -> Meter:
    limits = wire.limits
    name = "max_error_bytes" if is_error else "max_message_bytes" if wire.established else "max_greeting_bytes"
    return Meter(name, getattr(limits, name), limits.max_message_values)


class _Body(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, coding: str, meter: Meter | EventMeter, wire: TransportState
    ) -> None:
        self._wire = wire
        self._inner = inner
        self._coding = coding
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decode = _decoder(self._coding)
        async for chunk in self._inner:
            for piece in decode(chunk):
                self._meter.feed(piece)
                yield piece
                lines = lines_in(piece) if isinstance(self._meter, EventMeter) else 0
                await self._wire.pace.bytes(len(piece), lines)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _decoder(coding: str) -> _Decode:
    if coding == "identity":
        return _pieces
    if coding in ("gzip", "x-gzip"):
        return partial(_inflated, zlib.decompressobj(zlib.MAX_WBITS | 16))
    raise httpx2.DecodingError(f"The server compressed its answer as {coding[:40]}, which it was not offered.")


def _pieces(chunk: bytes) -> Iterator[bytes]:
    for start in range(0, len(chunk), PIECE):
        yield chunk[start : start + PIECE]


def _inflated(decompressor: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    try:
        while not decompressor.eof:
            piece = decompressor.decompress(chunk, PIECE)
            chunk = decompressor.unconsumed_tail
            yield piece
            if len(piece) < PIECE and not chunk:
                return
    except zlib.error as error:
        raise httpx2.DecodingError(str(error)) from error


class Lines(ByteReceiveStream):
    """The standard output of a child, whole lines at a time: what is waited for is not looked through again and again.

    A result that is too long is skipped, and an error stands in its place. Any other line that is too long ends the
    stream, and the connection is given up with the reason: what it was is not known.
    """

    def __init__(self, inner: ByteReceiveStream, wire: TransportState) -> None:
        self._inner = inner
        self._wire = wire
        self._begun: list[bytes] = []
        self._meter: Meter | None = None
        self._long: LongLine | None = None

    async def receive(self, max_bytes: int = PIECE) -> bytes:
        """Return the next lines. Raises EndOfStream."""
        while True:
            if self._wire.given_up:
                # Read and forgotten, so that a child which writes on can end.
                await self._inner.receive(PIECE)
                continue
            chunk = await self._inner.receive(max_bytes)
            try:
                whole = self._lines(chunk)
            except TooLargeError as error:
                self._begun = []
                self._wire.give_up(error.reason)
                continue
            await self._wire.pace.bytes(len(chunk))
            if whole:
                return whole

    def _lines(self, chunk: bytes) -> bytes:
        """Return the lines that end in the chunk, and keep what is begun. Raises TooLargeError."""
        first, newline, others = chunk.partition(b"\n")
        if self._long is not None:
            self._long.feed(first)
            if not newline:
                return b""
            answer, self._long = self._long.answer(), None
            return answer + self._lines(others)
        # Lines that begin and end within one chunk are no longer than it.
        lines, more, rest = others.rpartition(b"\n")
        if not self._counted(first):
            return self._lines(newline + others) if newline else b""
        if not newline:
            self._begun.append(chunk)
            return b""
        whole = b"".join([*self._begun, first, newline, lines, more])
        self._begun, self._meter = [], None
        if rest and self._counted(rest):
            self._begun = [rest]
        return whole

    def _counted(self, piece: bytes) -> bool:
        """Count a piece of the line that is begun; False if the line is too long, and skipped from now on."""
        self._meter = self._meter or _meter(self._wire)
        try:
            self._meter.feed(piece)
        except TooLargeError as error:
            if not self._wire.established:
                raise
            begun = b"".join([*self._begun, piece])
            self._long = LongLine(error, begun, self._wire.limits.max_message_bytes)
            self._begun, self._meter = [], None
        return self._long is None

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()
