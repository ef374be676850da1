"""Counts requests that end without a person: those refused for one reason, or answered alike, are one row.

A flood costs one row, which is written at most once in `PAUSE`, and one entry in memory.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

import anyio

from webclient.domain.model import InputRequest
from webclient.inbox.inbox import Inbox
from webclient.support import background

PAUSE = 1.0
"""Seconds between two writes of one count."""

QUIET = 60.0
"""Seconds without a request after which the next one begins a new entry."""

Key = tuple[str, ...]
"""Begins with a `ServerKey`: the user and the server."""


@dataclass(slots=True)
class _Entry:
    request: InputRequest
    last: float
    count: int = 1
    stored: asyncio.Event = field(default_factory=asyncio.Event)
    writer: asyncio.Task[None] | None = None


class EntryCounter:
    """The counts of requests that end without a person, by key."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._entries: dict[Key, _Entry] = {}

    def counts(self, key: Key) -> bool:
        """Return whether `key` has an entry that counts another request."""
        entry = self._entries.get(key)
        return entry is not None and monotonic() - entry.last < QUIET

    async def add(self, key: Key, request: InputRequest) -> None:
        """Show a request, or count it in the entry of `key`."""
        if self.counts(key):
            self.count(key)
            return
        self._forget_old()
        entry = self._entries[key] = _Entry(request, monotonic())
        try:
            # Shielded: when the server withdraws this one, the entry may count others already.
            with anyio.CancelScope(shield=True):
                await self._inbox.put([request])
        except BaseException:
            self._entries.pop(key, None)
            if entry.writer is not None:
                entry.writer.cancel()
            raise
        entry.stored.set()

    def count(self, key: Key) -> None:
        """Count another request in the entry of `key`."""
        entry = self._entries[key]
        entry.count += 1
        entry.last = monotonic()
        if entry.writer is None:
            entry.writer = background.start(self._write(entry), name="count")

    async def close(self) -> None:
        """Write the counts that are not written yet."""
        for entry in self._entries.values():
            if entry.writer is not None:
                entry.writer.cancel()
                await self._inbox.recount(entry.request, entry.count)

    async def forget(self, owner: Key) -> None:
        """Write and drop the counts of a server or user, whose keys begin so."""
        for key in [key for key in self._entries if key[: len(owner)] == owner]:
            entry = self._entries.pop(key)
            if entry.writer is not None:
                entry.writer.cancel()
                await self._inbox.recount(entry.request, entry.count)

    async def _write(self, entry: _Entry) -> None:
        await entry.stored.wait()
        await asyncio.sleep(PAUSE)
        entry.writer = None
        await self._inbox.recount(entry.request, entry.count)

    def _forget_old(self) -> None:
        for key in [key for key, entry in self._entries.items() if monotonic() - entry.last >= QUIET]:
            if self._entries[key].writer is None:
                del self._entries[key]
