"""Work that several callers want at the same moment, such as all open pages of a user, done once for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

LIFETIME = 1.0
"""Seconds for which a result is shared: callers of one event come at once, and later ones want newer rows."""

T = TypeVar("T")


class SharedWork(Generic[T]):
    """Runs work by key, once for all callers that come within `LIFETIME` seconds; what failed is not shared further."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, tuple[float, asyncio.Task[T]]] = {}

    async def get(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of `work`, which another caller with this key may have started."""
        self._forget_old()
        if key not in self._tasks or _has_failed(self._tasks[key][1]):
            self._tasks.pop(key, None)
            self._tasks[key] = time.monotonic(), asyncio.create_task(work())
        # Shielded: a caller that leaves meanwhile does not take the result from the others.
        return await asyncio.shield(self._tasks[key][1])

    def _forget_old(self) -> None:
        oldest = time.monotonic() - LIFETIME
        # The oldest come first.
        while self._tasks and next(iter(self._tasks.values()))[0] < oldest:
            del self._tasks[next(iter(self._tasks))]


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
