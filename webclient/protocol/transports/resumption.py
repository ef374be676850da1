"""The event stream of an HTTP response, which continues in the next response when its server ends it.

A server may end a stream after an event with an id, and is then polled (MCP 2025-11-25, Transports, Sending Messages
to the Server). The SDK resumes by calling itself, and its session ends after about 940 times; this is a loop.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar

import anyio
import httpx2

RESUMED: ContextVar[bool] = ContextVar("resumed", default=False)
"""Whether the message came on a resumed stream, on which a server may repeat what it has sent before."""

DEFAULT_PAUSE = 1.0
"""Seconds before a stream is resumed if the server names no time."""

SHORTEST_PAUSE = 0.05
"""Seconds before a stream is resumed at least; a server that names 0 would be hammered."""

LONGEST_PAUSE = 3600.0
"""Seconds that a server may have us wait at most."""

_ID = re.compile(rb"^id: ?([^\n\0]*)$", re.MULTILINE)
_RETRY = re.compile(rb"^retry: ?([0-9]{1,15})$", re.MULTILINE)

Resume = Callable[[str], Awaitable[httpx2.AsyncByteStream | None]]
"""Opens the stream that continues after the event of this id ("" for none); returns None if there is no such stream."""


class WholeEvents:
    """Divides an event stream into whole events, with line feeds alone (HTML, section 9.2.6).

    `last_id` is the id of the last event that had one, `pause` the seconds before the stream is resumed. `rest` is the
    beginning of an event that is not whole.
    """

    def __init__(self) -> None:
        self.last_id = ""
        self.pause = DEFAULT_PAUSE
        self._pieces: list[bytes] = []
        self._is_after_return = False

    @property
    def rest(self) -> bytes:
        """What came after the last whole event."""
        return b"".join(self._pieces)

    def forget_rest(self) -> None:
        """Forget what came after the last whole event, as a stream that ends there requires."""
        self._pieces = []
        self._is_after_return = False

    def feed(self, piece: bytes) -> bytes:
        """Return the events that this piece of the stream completes."""
        piece = self._with_line_feeds(piece)
        end = self._end_in(piece)
        if not end:
            self._pieces += [piece] if piece else []
            return b""
        whole = self.rest + piece[:end]
        self._pieces = [piece[end:]] if piece[end:] else []
        self._note(whole)
        return whole

    def _end_in(self, piece: bytes) -> int:
        """Return where the last event ends that this piece completes; 0 if it completes none."""
        if (blank_line := piece.rfind(b"\n\n")) >= 0:
            return blank_line + 2
        is_blank_line = piece.startswith(b"\n") and self._pieces and self._pieces[-1].endswith(b"\n")
        return 1 if is_blank_line else 0

    def _with_line_feeds(self, piece: bytes) -> bytes:
        # The line feed of a carriage return may be in the next piece; the line does not wait for it.
        is_second_half = self._is_after_return and piece.startswith(b"\n")
        self._is_after_return = piece.endswith(b"\r") if piece else self._is_after_return
        piece = piece[1:] if is_second_half else piece
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in piece else piece

    def _note(self, whole: bytes) -> None:
        if ids := _ID.findall(whole):
            self.last_id = ids[-1].decode(errors="replace")
        if pauses := _RETRY.findall(whole):
            self.pause = min(max(int(pauses[-1]) / 1000, SHORTEST_PAUSE), LONGEST_PAUSE)


class ResumedStream(httpx2.AsyncByteStream):
    """The body `first`, and after its end the bodies that `resume` opens.

    `always`: it is resumed even if no event had an id, as the stream for requests outside of calls is.
    """

    def __init__(self, first: httpx2.AsyncByteStream, resume: Resume, *, always: bool = False) -> None:
        self._stream: httpx2.AsyncByteStream | None = first
        self._resume = resume
        self._always = always

    async def __aiter__(self) -> AsyncIterator[bytes]:
        events = WholeEvents()
        while self._stream is not None:
            async for piece in self._stream:
                if whole := events.feed(piece):
                    yield whole
            await self.aclose()
            if not (events.last_id or self._always):
                yield events.rest
                return
            # An event that the stream did not complete is sent again, or lost (HTML, section 9.2.6).
            events.forget_rest()
            await anyio.sleep(events.pause)
            self._stream = await self._resume(events.last_id)
            RESUMED.set(True)

    async def aclose(self) -> None:
        """Close the body that is being read."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()


class UnresumedStream(httpx2.AsyncByteStream):
    """A body of MCP 2026-07-28, whose streams are never resumed, even if their events have ids (Transports)."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            yield piece
        # The SDK asks for more only if the response has not come. After other errors, and after none, it would resume.
        raise httpx2.SSEError("the stream ended without a response")

    async def aclose(self) -> None:
        """Close the body."""
        await self._inner.aclose()
