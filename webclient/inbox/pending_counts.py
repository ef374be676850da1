"""How much waits for a person: an upper bound in memory, and counted again in the store only when that is too much."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from webclient.domain.model import InputRequest
from webclient.inbox import policy
from webclient.inbox.policy import Refusal

Read = Callable[[Collection[str]], Awaitable[tuple[int, int]]]
"""Gives number and size of the pending requests in the store, but those with these ids."""

Judge = Callable[[Sequence[InputRequest], int, int], Refusal | None]
"""Gives the refusal of requests beside pending ones of this number and size; None if they fit."""


class PendingCount:
    """The pending requests of a server or a user.

    `newest` changes whenever one may have been settled; until then, what was too much is refused without a look into
    the store, so that a flood costs others nothing.
    """

    def __init__(self, read: Read, newest: Callable[[], int]) -> None:
        self._read = read
        self._newest = newest
        self._lock = asyncio.Lock()
        # Those that are admitted and not in the store yet.
        self._coming: dict[str, InputRequest] = {}
        self._at_most: tuple[int, int] | None = None
        self._counted_at: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being stored or counted."""
        return not self._coming and not self._lock.locked()

    async def take(self, requests: Sequence[InputRequest], judge: Judge) -> Refusal | None:
        """Count these requests from now on; if they do not fit, return why, and count none of them."""
        async with self._lock:
            at_most = self._at_most or await self._count()
            why = judge(requests, *at_most)
            if why and self._counted_at != self._newest():
                at_most = await self._count()
                why = judge(requests, *at_most)
            if why is None:
                self._at_most = at_most[0] + len(requests), at_most[1] + _size(requests)
                self._coming.update({each.id: each for each in requests})
        return why

    def release(self, request: InputRequest) -> None:
        """Note that this one is in the store now, or never will be."""
        if self._coming.pop(request.id, None):
            self._counted_at = None

    async def _count(self) -> tuple[int, int]:
        # Read before the store: what changes while it counts has it counted again.
        counted_at, coming = self._newest(), dict(self._coming)
        self._counted_at = counted_at
        pending, size = await self._read(coming)
        self._at_most = pending + len(coming), size + _size(coming.values())
        return self._at_most


def _size(requests: Iterable[InputRequest]) -> int:
    return sum(policy.size(each.params) for each in requests)
