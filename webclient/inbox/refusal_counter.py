"""Quiet entries: what was turned away stands in the inbox once for each reason, with how many it stands for.

However many a server sends, one row is written for them, at most once in `PAUSE`; memory holds one entry per reason.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

import anyio

from webclient.inbox.inbox import Inbox
from webclient.model import InputRequest, ServerKey

PAUSE = 1.0
"""Seconds between two times that the count of an entry is written and told."""

QUIET = 60.0
"""Seconds without another one after which the next makes a new entry."""

Key = tuple[str, ...]
"""Begins with the `ServerKey`."""


@dataclass(slots=True)
class _Entry:
    request: InputRequest
    last: float
    count: int = 1
    kept: asyncio.Event = field(default_factory=asyncio.Event)
    writer: asyncio.Task[None] | None = None


class RefusalCounter:
    """Counts what was turned away."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._entries: dict[Key, _Entry] = {}

    def counts(self, key: Key) -> bool:
        """Whether another one under `key` would be counted by the entry that is there."""
        entry = self._entries.get(key)
        return entry is not None and monotonic() - entry.last < QUIET

    async def add(self, key: Key, request: InputRequest) -> None:
        """Show a request that was turned away, or count it with those before it under `key`."""
        if self.counts(key):
            self.count(key)
            return
        self._forget_old()
        entry = self._entries[key] = _Entry(request, monotonic())
        try:
            # Shielded: others may be counted with it already, when the server takes this one back.
            with anyio.CancelScope(shield=True):
                await self._inbox.put([request])
        except BaseException:
            self._entries.pop(key, None)
            if entry.writer is not None:
                entry.writer.cancel()
            raise
        entry.kept.set()

    def count(self, key: Key) -> None:
        """Count one more with the entry that is there."""
        entry = self._entries[key]
        entry.count += 1
        entry.last = monotonic()
        if entry.writer is None:
            entry.writer = asyncio.create_task(self._write(entry))

    async def close(self) -> None:
        """Write what was counted and not written yet."""
        for entry in self._entries.values():
            if entry.writer is not None:
                entry.writer.cancel()
                await self._inbox.recount(entry.request, entry.count)

    async def forget(self, server: ServerKey) -> None:
        """Write what was counted of a server, and drop its entries."""
        for key in [key for key in self._entries if key[:2] == server]:
            entry = self._entries.pop(key)
            if entry.writer is not None:
                entry.writer.cancel()
                await self._inbox.recount(entry.request, entry.count)

    async def _write(self, entry: _Entry) -> None:
        await entry.kept.wait()
        await asyncio.sleep(PAUSE)
        entry.writer = None
        await self._inbox.recount(entry.request, entry.count)

    def _forget_old(self) -> None:
        for key in [key for key, entry in self._entries.items() if monotonic() - entry.last >= QUIET]:
            if self._entries[key].writer is None:
                del self._entries[key]
