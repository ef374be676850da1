"""How fast one server is listened to: what it sends faster waits in its pipe or socket, and costs nobody anything."""

from __future__ import annotations

from time import monotonic

import anyio

UNIT = 32_768
"""Bytes that count as one message: reading them takes about as long."""

LEAST = UNIT // 10
"""Bytes that a piece counts for at least: a server may send a body by the byte."""

LINE = UNIT // 100
"""Bytes that each line of an event stream counts for besides: the SDK reads each by itself."""


class Pace:
    """Lets so many messages pass each second; after a pause, at once as many as a second allows."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._due = 0.0

    async def messages(self, count: float) -> None:
        """Take so many messages, and wait until it is time for the next."""
        at = monotonic()
        self._due = max(self._due, at - 1) + count / self._per_second
        # Without a pause, what has come already would be read in one go while everybody else waits.
        await anyio.sleep(max(self._due - at, 0))

    async def bytes(self, count: int, lines: int = 0) -> None:
        """Take a piece of so many bytes, which are so many lines of an event stream, as `messages` does."""
        await self.messages((max(count, LEAST) + lines * LINE) / UNIT)
