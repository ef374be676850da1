"""How fast one server is listened to: what it sends faster waits in its pipe or socket, and costs nobody anything."""

from __future__ import annotations

from time import monotonic

import anyio

UNIT = 32_768
"""Bytes that count as one message: reading them takes about as long."""


class Pace:
    """Lets so many messages pass each second; after a pause, at once as many as a second allows."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._due = 0.0

    async def messages(self, count: float) -> None:
        """Take so many messages, and wait until it is time for the next."""
        at = monotonic()
        self._due = max(self._due, at - 1) + count / self._per_second
        if self._due > at:
            await anyio.sleep(self._due - at)

    async def bytes(self, count: int) -> None:
        """Take so many bytes, as `messages` does."""
        await self.messages(count / UNIT)
