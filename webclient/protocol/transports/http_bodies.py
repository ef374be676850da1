"""The body of an HTTP response while it is read: decompressed, measured, and watched for signs of life.

Decompression happens here and not in the HTTP library, which would inflate a packet of 64 kB to 64 MB at once.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import cast

import anyio
import httpx2

from webclient.protocol.messages.limits import EventMeter, Meter, TooLargeError, lines_in
from webclient.protocol.messages.raw_request import FAIL_REQUEST
from webclient.protocol.messages.sdk_errors import too_large
from webclient.protocol.transports.transport_state import TransportState

ACCEPTED = "gzip"
"""The one compression that servers may use."""

PIECE = 65_536
"""Bytes that are decompressed and counted at once."""

TO_END = 0.05
"""Seconds that a stream of events may take to its end after it has been closed here."""

_Decompress = Callable[[bytes], Iterator[bytes]]


def is_event_stream(response: httpx2.Response) -> bool:
    """Return whether the body is a stream of server-sent events."""
    return "event-stream" in response.headers.get("content-type", "").lower()


def event_stream(response: httpx2.Response) -> httpx2.AsyncByteStream | None:
    """Return the body of a response if it is an event stream, otherwise None."""
    is_one = response.is_success and is_event_stream(response)
    return cast("httpx2.AsyncByteStream", response.stream) if is_one else None


async def measure_body(transport_state: TransportState, response: httpx2.Response) -> None:
    """Make the body be decompressed and counted while it is read; an event hook of the HTTP client.

    Reading then raises TooLargeError, or DecodingError.
    """
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    next_meter = partial(transport_state.meter, is_error=response.is_error)
    meter = EventMeter(next_meter) if is_event_stream(response) and not response.is_error else next_meter()
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _MeasuredStream(response.stream, coding, meter, transport_state)


class _MeasuredStream(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, coding: str, meter: Meter | EventMeter, transport_state: TransportState
    ) -> None:
        self._transport_state = transport_state
        self._inner = inner
        self._coding = coding
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decompress = _decompress(self._coding)
        async for chunk in self._inner:
            for piece in decompress(chunk):
                self._meter.feed(piece)
                yield piece
                lines = lines_in(piece) if isinstance(self._meter, EventMeter) else 0
                await self._transport_state.throttle.bytes(len(piece), lines)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _decompress(coding: str) -> _Decompress:
    if coding == "identity":
        return _pieces
    if coding in ("gzip", "x-gzip"):
        return partial(_inflated, zlib.decompressobj(zlib.MAX_WBITS | 16))
    raise httpx2.DecodingError(f"The server used the compression {coding[:40]}, which it was not allowed to.")


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


class WatchedStream(httpx2.AsyncByteStream):
    """The body of a response: each piece is a sign of life, and a broken stream of `events` ends without an error."""

    def __init__(self, inner: httpx2.AsyncByteStream, transport_state: TransportState, *, events: bool) -> None:
        self._inner = inner
        self._transport_state = transport_state
        self._events = events
        self._open = True
        self._pieces = aiter(inner)
        self._is_reading = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while chunk := await self._next():
                self._transport_state.heard()
                yield chunk
        except TooLargeError as error:
            if not self._events:
                raise
            self._fail_request(error)
            # The one error after which the SDK does not reconnect the stream.
            raise httpx2.SSEError(str(error)) from error
        except httpx2.TransportError as error:
            self._transport_state.failed(error)
            if not self._events:
                raise

    def _fail_request(self, error: TooLargeError) -> None:
        """Fail the request of this response; on a stream for all requests, close the session instead."""
        fail_request = FAIL_REQUEST.get()
        if fail_request is None:
            self._transport_state.give_up(error.reason)
        else:
            fail_request(too_large(error))

    async def _next(self) -> bytes:
        """Return the next piece that is not empty, or an empty one at the end."""
        self._is_reading = True
        try:
            while not (piece := await anext(self._pieces, None)) and piece is not None:
                pass
            return piece or b""
        finally:
            self._is_reading = False

    async def aclose(self) -> None:
        """Close the stream; if its end comes at once, the connection can be used again."""
        if self._open:
            self._open = False
            self._transport_state.streams -= 1
            try:
                await self._read_end()
            finally:
                await self._inner.aclose()

    async def _read_end(self) -> None:
        # The SDK closes a stream of events right after the result, a moment before its end.
        if self._events and not self._is_reading:
            with anyio.move_on_after(TO_END), suppress(httpx2.TransportError, TooLargeError):
                await self._next()
