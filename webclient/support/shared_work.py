"""Work that several callers want at the same moment, such as all open pages of a user, done once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from webclient.support import background

LIFETIME = 1.0
"""Seconds for which a result is shared: callers of one event come at once, and later ones want newer rows."""

T = TypeVar("T")


class SharedWork(Generic[T]):
    """Runs work by key, once for all callers that come within `LIFETIME` seconds; what failed is not shared further.

    A result is forgotten after that time, also without another caller.
    """

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}

    async def get(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of `work`, which another caller with this key may have started."""
        if key not in self._tasks or _has_failed(self._tasks[key]):
            self._tasks[key] = task = background.start(work(), name="shared work", awaited=True)
            asyncio.get_running_loop().call_later(LIFETIME, self._forget, key, task)
        # Shielded: a caller that leaves meanwhile does not take the result from the others.
        return await background.shared(self._tasks[key])

    def forget(self, key: Hashable) -> None:
        """Do the work again for the next caller: its result has just changed."""
        self._tasks.pop(key, None)

    def _forget(self, key: Hashable, task: asyncio.Task[T]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
