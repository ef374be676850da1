"""A request timeout: closes connections of clients that send nothing, or a request too slowly.

Uvicorn closes connections that are idle after a response, but waits for ever before the first request and during one
(0.54).
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class RequestTimeoutProtocol(H11Protocol):
    """HTTP/1.1 in which the head of a request, and then its body, must each arrive within `seconds`."""

    seconds: ClassVar[float]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._awaited: Any = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Receive data; a part of the head or body does not extend the timeout."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        awaited = self.conn.their_state
        if awaited is self._awaited:
            return
        self._stop()
        self._awaited = awaited
        # While a response is made, the client has nothing to send: event streams are never cut off here.
        if awaited in (h11.IDLE, h11.SEND_BODY):
            self._deadline = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def protocol_with_timeout(seconds: float) -> type[RequestTimeoutProtocol]:
    """Return a protocol class with this timeout, as uvicorn needs a class."""
    return type("PatientProtocol", (RequestTimeoutProtocol,), {"seconds": seconds})
