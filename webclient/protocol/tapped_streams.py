"""The two streams of a transport as the tap gives them to the SDK: each message passes the tap, at the server's pace.

What a server asks is not waited for when its session is being ended, and nothing is read of one that was given up.
"""

from __future__ import annotations

from contextvars import Context
from typing import TYPE_CHECKING, Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from webclient.protocol.tap import Tap

DRAIN_PAUSE = 0.002
"""Seconds between two looks whether a pipe has taken an answer."""


class TappedStream:
    """What both wrapped streams pass on to the transport's own."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)


class Incoming(TappedStream):
    """What comes from the server."""

    last_context: Context | None = None

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._received()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._tap.ended()
            raise
        self.last_context = self._tap.incoming(item, getattr(self._inner, "last_context", None))
        return item

    async def _received(self) -> SessionMessage | Exception:
        wire = self._tap.wire
        while True:
            item: SessionMessage | Exception = await self._inner.receive()
            await wire.pace.messages(1)
            if wire.given_up:
                raise anyio.EndOfStream
            asks = isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest)
            if not (asks and wire.closing):
                return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Outgoing(TappedStream):
    """What goes to the server."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        super().__init__(inner, tap)
        # A thousand answers may wait here behind each other, and what ends the session must not wait behind them.
        self._line = anyio.Lock()

    async def send(self, item: SessionMessage) -> None:
        answered = self._tap.outgoing(item)
        wire = self._tap.wire
        replies = isinstance(item.message, JSONRPCResponse | JSONRPCError)
        self._tap.unsent += replies
        try:
            async with self._line:
                if wire.closing and replies and answered is None:
                    return
                await self._inner.send(self._tap.announced(item))
        finally:
            self._tap.unsent -= replies
        if answered is not None and wire.piped and not wire.closing:
            await self._drained()
            # What lies in the pipe of a process that hangs has reached nobody.
            await self._tap.wire.until_heard()
            await self._tap.wire.arrived(answered, arrived=True)

    async def _drained(self) -> None:
        # The SDK does not tell when a message is in the child's pipe; when it is, its writer waits for the next one.
        while not self._inner.statistics().tasks_waiting_receive:  # noqa: ASYNC110
            await anyio.sleep(DRAIN_PAUSE)
