"""The body of a response while it comes: a piece is a sign of life, and what breaks or is too large ends in order."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from webclient.protocol.explain import too_large
from webclient.protocol.limits import TooLargeError
from webclient.protocol.raw_request import REFUSE
from webclient.protocol.transport_state import TransportState


class WatchedStream(httpx2.AsyncByteStream):
    """The body of a response: what comes is a sign of life, and where a stream of `events` breaks it ends."""

    def __init__(self, inner: httpx2.AsyncByteStream, wire: TransportState, *, unasked: bool, events: bool) -> None:
        self._inner = inner
        self._wire = wire
        self._unasked = unasked
        self._events = events
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                self._wire.heard()
                yield chunk
        except TooLargeError as error:
            if not self._events:
                raise
            self._refuse(error)
            # The one error after which the SDK does not ask for the stream again.
            raise httpx2.SSEError(str(error)) from error
        except httpx2.TransportError as error:
            self._wire.failed(error)
            if not self._events:
                raise

    def _refuse(self, error: TooLargeError) -> None:
        """End the request whose answer this is; what comes on a stream for all of them is no one's answer."""
        refuse = REFUSE.get()
        if refuse is None:
            self._wire.give_up(error.reason)
        else:
            refuse(too_large(error))

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._wire.streams -= 1
            if self._unasked:
                # The server is meant to keep it open for as long as the session lasts.
                self._wire.failed()
        await self._inner.aclose()
