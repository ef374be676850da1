"""Limits how fast one server is read; what it sends faster waits in its pipe or socket.

A server may send any number of informational responses before the final one (RFC 9110, 15.2). The HTTP library reads
and drops all of them that one packet has in one go, so reads from sockets are throttled as well as messages. That is
set up with each new connection of an HTTP client; the kernel also checks a silent peer from then on.
"""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

import anyio

from webclient.domain.model import Json

BYTES_PER_MESSAGE = 32_768
"""Bytes that count as one message: reading them takes about as long."""

LEAST_BYTES = BYTES_PER_MESSAGE // 10
"""Bytes that a piece counts for at least: a server may send a body byte by byte."""

BYTES_PER_LINE = BYTES_PER_MESSAGE // 100
"""Bytes that each line of an event stream counts for in addition: the SDK reads each line by itself."""

SOCKET_STEP = 8192
"""Bytes that are read from a socket at once: two or three hundred response heads at most."""

_HEAD = b"HTTP/1."


class ReadThrottle:
    """Lets `per_second` messages pass each second; after a pause, as many as a second allows pass at once."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._due = 0.0

    async def messages(self, count: float) -> None:
        """Count so many messages, and wait until the next may be read."""
        at = monotonic()
        self._due = max(self._due, at - 1) + count / self._per_second
        # Sleep for 0 seconds, too: otherwise all that has come is read in one go while other servers wait.
        await anyio.sleep(max(self._due - at, 0))

    async def bytes(self, count: int, lines: int = 0) -> None:
        """Count a piece of a body, in bytes and lines, like `messages`."""
        await self.messages((max(count, LEAST_BYTES) + lines * BYTES_PER_LINE) / BYTES_PER_MESSAGE)


def throttle_socket(stream: Any, throttle: ReadThrottle) -> None:
    """Make the HTTP library read `stream` in small steps; each response head counts as a message."""
    read = stream.read

    async def in_steps(max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (the library's)
        # The same bytes in a body are counted as heads as well, which costs a little time.
        data: bytes = await read(min(max_bytes, SOCKET_STEP), timeout)
        await throttle.messages(data.count(_HEAD))
        return data

    stream.read = in_steps


_KEEP_ALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)] + [
    (socket.IPPROTO_TCP, getattr(socket, name), value)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))
    if hasattr(socket, name)
]
"""A peer that is gone is noticed after half a minute; the kernel of a slow one answers for it."""


async def set_up_connection(throttle: ReadThrottle, event: str, info: Json) -> None:
    """Set up a new connection; a trace function of the HTTP library, which calls it with each `event`."""
    if event == "connection.connect_tcp.complete":
        tcp_socket = info["return_value"].get_extra_info("socket")
        for level, option, value in _KEEP_ALIVE:
            tcp_socket.setsockopt(level, option, value)
    if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
        throttle_socket(info["return_value"], throttle)
