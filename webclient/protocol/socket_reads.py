"""Reads what an HTTP server sends from its socket in small steps, and no more heads of responses than its pace allows.

A server may send any number of informational responses before the one that counts (RFC 9110, 15.2). The HTTP library
reads and drops those of one packet in one go, so that everybody else waits, and it does so for ever.
"""

from __future__ import annotations

from typing import Any

from webclient.protocol.read_rate import Pace

STEP = 8192
"""Bytes that are taken from the socket at once: two or three hundred heads at most."""

_HEAD = b"HTTP/1."


def read_at_pace(stream: Any, pace: Pace) -> None:
    """Have what is read from `stream`, of the HTTP library, taken in steps, and each head count as a message."""
    read = stream.read

    async def in_steps(max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (the library's)
        # In a body the same words cost a little time, and do no harm.
        data: bytes = await read(min(max_bytes, STEP), timeout)
        await pace.messages(data.count(_HEAD))
        return data

    stream.read = in_steps
